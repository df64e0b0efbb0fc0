// An output appears complete or not at all, and never destroys other data.
#include "checkpoint/output/output.h"

#include <sys/stat.h>

#include <cerrno>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

class Output : public testing::Test {
 protected:
  Output() {
    fs::create_directory(directory_ / "in");
    write_file(directory_ / "in/model.safetensors", "input");
  }

  // Writes one file and commits.
  void make(const fs::path& target, OutputKind kind, bool force, const std::string& text) {
    PendingOutput output(target, kind, force, directory_ / "in", 0);
    OutputFile file = output.create("new.safetensors");
    file.write_at(0, std::as_bytes(std::span(text)));
    file.finish();
    EXPECT_FALSE(fs::exists(target) && !force) << "appears only when it is complete";
    output.commit();
  }
  std::string refusal(Status status, const fs::path& target, OutputKind kind, bool force) {
    return error_of(status, [&] { make(target, kind, force, "x"); });
  }

  TemporaryDirectory directory_;
};

TEST_F(Output, a_file_appears_and_nothing_else) {
  make(directory_ / "out", OutputKind::file, false, "text");
  EXPECT_EQ(read_file(directory_ / "out"), "text");
  make(directory_ / "out2/", OutputKind::file, false, "text");  // the trailing slash is ignored
  EXPECT_EQ(read_file(directory_ / "out2"), "text");
  EXPECT_EQ(names_in(directory_.path()), (Names{"in", "out", "out2"}));
}

TEST_F(Output, a_directory_appears_and_nothing_else) {
  make((directory_ / "out").native() + "/", OutputKind::directory, false, "text");
  EXPECT_EQ(read_file(directory_ / "out/new.safetensors"), "text");
  EXPECT_EQ(names_in(directory_.path()), (Names{"in", "out"}));
}

TEST_F(Output, an_existing_one_is_replaced_only_by_force) {
  for (const OutputKind kind : {OutputKind::file, OutputKind::directory}) {
    const std::string name = kind == OutputKind::file ? "file" : "directory";
    make(directory_ / name, kind, false, "old");
    EXPECT_TRUE(holds(refusal(Status::invalid_argument, directory_ / name, kind, false), "`force` replaces it"));
    make(directory_ / name, kind, true, "new");
    EXPECT_EQ(read_file(kind == OutputKind::file ? directory_ / name : directory_ / name / "new.safetensors"), "new");
  }
  EXPECT_EQ(names_in(directory_.path()), (Names{"directory", "file", "in"}));
}

TEST_F(Output, one_that_appears_during_the_run_is_kept) {
  for (const OutputKind kind : {OutputKind::file, OutputKind::directory}) {
    const fs::path target = directory_ / (kind == OutputKind::file ? "file" : "directory");
    const fs::path theirs = kind == OutputKind::file ? target : target / "theirs.safetensors";
    PendingOutput output(target, kind, false, directory_ / "in", 0);
    output.create("new.safetensors").finish();
    fs::create_directories(theirs.parent_path());
    write_file(theirs, "theirs");
    EXPECT_REFUSED(Status::invalid_argument, "exists already; `force` replaces it", output.commit());
    EXPECT_EQ(read_file(theirs), "theirs");
  }
  EXPECT_EQ(names_in(directory_.path()), (Names{"directory", "file", "in"}));
}

TEST_F(Output, dots_are_no_name_for_one) {
  for (const char* target : {"", ".", "./", "..", "../", "x/..", "../..", "/"}) {
    SCOPED_TRACE(target);
    EXPECT_TRUE(
        holds(refusal(Status::invalid_argument, target, OutputKind::directory, true), "is no name for an output"));
  }
}

TEST_F(Output, the_input_is_safe) {
  const auto refused = [&](const std::string& target) {
    return refusal(Status::invalid_argument, directory_ / target, OutputKind::directory, true);
  };
  fs::create_directory_symlink("in", directory_ / "link");
  EXPECT_TRUE(holds(refused("in"), "is the input itself"));
  EXPECT_TRUE(holds(refused("in/"), "is the input itself"));
  EXPECT_TRUE(holds(refused("in/../in"), "is the input itself"));
  EXPECT_TRUE(holds(refused("link"), "is the input itself"));
  EXPECT_TRUE(holds(refused("in/out"), "lies within the input"));
  EXPECT_TRUE(holds(refused("link/out"), "lies within the input"));
  EXPECT_TRUE(holds(refused("."), "contains the input"));
  EXPECT_EQ(read_file(directory_ / "in/model.safetensors"), "input");
  make(directory_ / "in2", OutputKind::directory, false, "a name that only begins like the input's");
}

TEST_F(Output, a_hard_link_to_the_input_file_is_the_input) {
  fs::create_hard_link(directory_ / "in/model.safetensors", directory_ / "same");
  EXPECT_REFUSED(Status::invalid_argument, "is the input itself",
                 PendingOutput(directory_ / "same", OutputKind::file, true, directory_ / "in/model.safetensors", 0));
}

TEST_F(Output, what_is_no_output_of_ours_is_never_replaced) {
  fs::create_directories(directory_ / "home/documents");
  write_file(directory_ / "home/model.safetensors", "x");
  fs::create_directory(directory_ / "papers");
  write_file(directory_ / "papers/thesis.pdf", "x");
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, directory_ / "papers", OutputKind::directory, true),
                    "holds no .safetensors file"));
  EXPECT_TRUE(fs::exists(directory_ / "papers/thesis.pdf"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, directory_ / "home", OutputKind::directory, true),
                    "holds the directory 'documents'"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, directory_ / "home", OutputKind::file, true),
                    "exists and is no regular file"));
  write_file(directory_ / "file", "x");
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, directory_ / "file", OutputKind::directory, true),
                    "exists and is no directory"));
  EXPECT_TRUE(fs::exists(directory_ / "home/documents"));
  ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, directory_ / "fifo", OutputKind::file, true),
                    "exists and is no regular file"));
}

TEST_F(Output, what_fails_for_free_fails_first) {
  EXPECT_TRUE(holds(refusal(Status::io_error, directory_ / "none/out", OutputKind::file, false),
                    "is not an existing directory, the output cannot be made there: `mkdir -p " +
                        (directory_ / "none").native() + "` makes it"));
  EXPECT_REFUSED(Status::io_error, " free, the output needs 9.22 EB",
                 PendingOutput(directory_ / "out", OutputKind::file, false, directory_ / "in", INT64_MAX));
  EXPECT_NE(refusal(Status::invalid_argument, "", OutputKind::file, false), "");
}

TEST_F(Output, nothing_is_left_without_commit) {
  { const PendingOutput output(directory_ / "out", OutputKind::directory, false, directory_ / "in", 0); }
  EXPECT_EQ(names_in(directory_.path()), (Names{"in"}));
}

TEST_F(Output, a_dead_run_is_cleaned_up_after_a_living_one_respected) {
  fs::create_directory(directory_ / "out.qfuse-partial");
  write_file(directory_ / "out.qfuse-partial/rest", "x");
  make(directory_ / "out", OutputKind::directory, false, "text");
  EXPECT_EQ(names_in(directory_ / "out"), (Names{"new.safetensors"}));

  const PendingOutput living(directory_ / "out2", OutputKind::directory, false, directory_ / "in", 0);
  EXPECT_TRUE(holds(refusal(Status::io_error, directory_ / "out2", OutputKind::directory, false),
                    "is being written by another process"));
  EXPECT_TRUE(fs::exists(directory_ / "out2.qfuse-partial")) << "the second must not remove the first's work";
}

TEST_F(Output, what_cannot_be_linked_is_copied_only_where_there_are_no_links) {
  for (const int error : {EPERM, EOPNOTSUPP, EXDEV, EMLINK, ENOSYS}) EXPECT_TRUE(is_without_links(error));
  for (const int error : {EEXIST, EIO, ENOSPC, EDQUOT, EROFS}) EXPECT_FALSE(is_without_links(error));
  const PendingOutput output(directory_ / "out", OutputKind::directory, false, directory_ / "in", 0);
  output.create_link(directory_ / "in/model.safetensors", "model.safetensors");
  EXPECT_EQ(fs::hard_link_count(directory_ / "in/model.safetensors"), 2U);
  const auto again = [&] { output.create_link(directory_ / "in/model.safetensors", "model.safetensors"); };
  EXPECT_TRUE(holds(error_of(Status::io_error, again), "cannot link: File exists"));
}

TEST_F(Output, what_an_interrupted_replacement_left_is_not_thrown_away) {
  make(directory_ / "out", OutputKind::directory, false, "old");
  fs::create_directory(directory_ / "out.qfuse-old");
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, directory_ / "out", OutputKind::directory, true),
                    "was left by a replacement that was interrupted"));
}

}  // namespace
}  // namespace qfuse::checkpoint
