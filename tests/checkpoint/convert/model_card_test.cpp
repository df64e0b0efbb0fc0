#include "checkpoint/convert/model_card.h"

#include "support.h"

namespace qfuse::checkpoint {
namespace {

class ModelCard : public testing::Test {
 protected:
  std::optional<std::string> changed(const std::string& card, const CardChanges& changes) {
    write_file(directory_ / "README.md", card);
    return changed_card(directory_.path(), changes);
  }

  TemporaryDirectory directory_;
  const CardChanges changes_{.base_model = "org/name",
                             .relation = "quantized",
                             .library = "transformers",
                             .tags = {"4-bit"},
                             .old_tags = {"nf4"}};
};

TEST_F(ModelCard, keeps_what_it_does_not_change) {
  EXPECT_EQ(changed("---\n# a remark\nlicense: mit\nbase_model:\n- a/b\n- c/d\ntags:\n- nf4\n- chat\npipeline_tag: "
                    "text-generation\nextra: >-\n  two\n\n  lines\n---\n# Text\n\n---\n",
                    changes_),
            "---\n# a remark\nlicense: mit\nbase_model: org/name\ntags:\n- chat\n- 4-bit\npipeline_tag: "
            "text-generation\nextra: >-\n  two\n\n  lines\nbase_model_relation: quantized\nlibrary_name: transformers\n"
            "---\n# Text\n\n---\n");
  EXPECT_EQ(changed("---\r\nlibrary_name: peft\r\ntags: [a, nf4 , b-c]\r\n---\r\ntext\r\n", changes_),
            "---\nlibrary_name: peft\ntags:\n- a\n- b-c\n- 4-bit\nbase_model: org/name\nbase_model_relation: "
            "quantized\n---\ntext\r\n");
}

TEST_F(ModelCard, a_text_without_yaml_gets_some) {
  const std::string yaml =
      "---\nbase_model: org/name\nbase_model_relation: quantized\nlibrary_name: transformers\ntags:\n- 4-bit\n---\n";
  EXPECT_EQ(changed("# Text\n", changes_), yaml + "# Text\n");
  EXPECT_EQ(changed("---\nno end of it\n", changes_), std::nullopt);
  EXPECT_EQ(changed("---\n\n", changes_), yaml + "---\n\n") << "a rule";
  fs::remove(directory_ / "README.md");
  EXPECT_EQ(changed_card(directory_.path(), changes_), yaml);
  EXPECT_EQ(changed_card(directory_.path(), {.library = "transformers"}), std::nullopt) << "nothing to say";
}

TEST_F(ModelCard, what_is_not_understood_stays) {
  for (const char* yaml : {"\"tags\": [a]\n", "{tags: a}\n", "tags: a\ntags: b\n", "? tags\n", "a: [\nb]\n"})
    EXPECT_EQ(changed(std::string("---\n") + yaml + "---\n", changes_), std::nullopt) << yaml;
  for (const char* tags : {"tags: &x [a]\n", "tags: a\n", "tags:\n- \"a\"\n", "tags:\n  a: b\n", "tags: [a, [b]]\n"})
    EXPECT_EQ(changed(std::string("---\n") + tags + "---\n", {.tags = {"x"}}), std::string("---\n") + tags + "---\n");
  write_file(directory_ / "README.md", std::string(2 << 20, 'x'));
  EXPECT_EQ(changed_card(directory_.path(), changes_), std::nullopt) << "too long for one";
}

TEST_F(ModelCard, a_new_one_keeps_license_language_and_use) {
  write_file(directory_ / "README.md",
             "---\nlicense: other\nlicense_name: x\nlanguage:\n- en\nmodel-index:\n- name: y\n---\nold text\n");
  EXPECT_EQ(new_card(directory_.path(), {.base_model = "a/b", .tags = {"lora"}}, "new text\n"),
            "---\nlicense: other\nlicense_name: x\nlanguage:\n- en\nbase_model: a/b\ntags:\n- lora\n---\nnew text\n");
}

}  // namespace
}  // namespace qfuse::checkpoint
