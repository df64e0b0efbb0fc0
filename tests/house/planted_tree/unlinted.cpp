#include <string>
#include <utility>

std::string twice(std::string text) {
  const std::string moved = std::move(text);
  return moved + text;  // bugprone-use-after-move
}
