// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& verb, const std::string& path, const std::string& why) {
  throw MachineError("cannot " + verb + " '" + path + "': " + why);
}
[[noreturn]] void refuse(const std::string& verb, const std::string& path, int reason) {
  refuse(verb, path, std::strerror(reason));
}

/// Where an output leads.
struct Target {
  std::string name;               ///< as the user wrote it
  fs::path path;                  ///< behind all symbolic links
  std::optional<struct stat> at;  ///< empty where there is nothing yet
  std::optional<int> descriptor;  ///< of this process: /dev/stdout and the like

  [[nodiscard]] bool stream() const { return descriptor || (at && !S_ISREG(at->st_mode)); }
};

/// Throws MachineError for a folder, a loop of links, a name that is too long...
Target find_target(const std::string& path) {
  Target t{path, path, std::nullopt, std::nullopt};
  struct stat at {};
  if (stat(path.c_str(), &at) == 0) {
    if (S_ISDIR(at.st_mode)) refuse("write", path, "it is a directory");
    t.at = at;
  } else if (errno != ENOENT) {
    refuse("write", path, errno);
  }
  std::error_code error;
  // The system follows no more links than these.
  for (int links = 0; links < 40; ++links) {
    // A link there is a name for what is open, which need not be a file: "pipe:[4711]".
    if (fs::canonical(t.path.parent_path(), error) == "/proc/" + std::to_string(getpid()) + "/fd") {
      const auto number = parse_integer(t.path.filename().string());
      if (number) t.descriptor = static_cast<int>(*number);
      return t;
    }
    const auto behind = fs::read_symlink(t.path, error);
    if (error) return t;
    t.path = t.path.parent_path() / behind;
  }
  refuse("write", path, ELOOP);
}

/// What the temporary names of `path` begin with on this host: processes of others cannot be asked
/// whether they live.
std::string temporary_stem(const fs::path& path) {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  const std::string end = ".partial-" + std::string(host) + "-";
  constexpr std::size_t digits = 10;  // of a process's number
  return path.filename().string().substr(0, NAME_MAX - digits - end.size()) + end;
}

std::string temporary_name(const fs::path& path) {
  return path.parent_path() / (temporary_stem(path) + std::to_string(getpid()));
}

void remove_leftovers(const fs::path& path) {
  const auto stem = temporary_stem(path);
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with(stem)) continue;
    const auto writer = parse_integer(name.substr(stem.size()));
    if (writer && *writer > 0 && *writer < INT_MAX && kill(static_cast<pid_t>(*writer), 0) != 0 &&
        errno == ESRCH)
      unlink(entry->path().c_str());
  }
}

/// Creates an empty temporary file for `target`; nothing that waits under its name is followed.
int create_temporary(const Target& target, const std::string& temporary) {
  // What is there under this name is no living process's: it would be this one's.
  unlink(temporary.c_str());
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const int file = open(temporary.c_str(), flags, target.at ? 0600 : 0666);
  if (file < 0) refuse("write", target.name, errno);
  if (!target.at) return file;
  mode_t mode = target.at->st_mode & 0777U;
  struct stat made {};
  fstat(file, &made);
  const bool others = made.st_uid != target.at->st_uid || made.st_gid != target.at->st_gid;
  // Where the group cannot be kept, another one must not read the file instead.
  if (others && fchown(file, target.at->st_uid, target.at->st_gid) != 0 &&
      fchown(file, static_cast<uid_t>(-1), target.at->st_gid) != 0)
    mode &= ~mode_t{S_IRWXG};
  fchmod(file, mode);
  return file;
}

/// Closes the descriptor, too.
void write_all(const Target& target, int file, const std::string& content) {
  int reason = 0;
  for (std::size_t done = 0; reason == 0 && done < content.size();) {
    const auto written = write(file, content.data() + done, content.size() - done);
    if (written < 0)
      reason = errno == EINTR ? 0 : errno;
    else
      done += static_cast<std::size_t>(written);
  }
  if (close(file) != 0 && reason == 0) reason = errno;
  if (reason != 0) refuse("write", target.name, reason);
}

void replace(const Target& target, const std::function<void(std::string const&, int)>& fill) {
  const auto temporary = temporary_name(target.path);
  const int file = create_temporary(target, temporary);
  try {
    fill(temporary, file);
    if (std::rename(temporary.c_str(), target.path.c_str()) != 0)
      refuse("write", target.name, errno);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

/// Whether two names lead to one regular file, which need not be there yet.
bool same_file(const Target& a, const Target& b) {
  if (a.stream() || b.stream()) return false;
  if (a.at && b.at) return a.at->st_dev == b.at->st_dev && a.at->st_ino == b.at->st_ino;
  std::error_code error;
  return !a.at && !b.at &&
         fs::weakly_canonical(fs::absolute(a.path, error), error) ==
             fs::weakly_canonical(fs::absolute(b.path, error), error);
}

}  // namespace

void write_file(const std::string& path, const std::string& content) {
  const auto target = find_target(path);
  if (!target.stream())
    return replace(target, [&](auto&, int file) { write_all(target, file, content); });
  std::fflush(nullptr);  // it may be where standard output goes
  const int file = target.descriptor ? dup(*target.descriptor)
                                     : open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) refuse("write", path, errno);
  write_all(target, file, content);
}

void write_atomically(const std::string& path,
                      const std::function<void(std::string const&)>& fill) {
  const auto target = find_target(path);
  if (target.stream()) refuse("write", path, "it is not a regular file");
  replace(target, [&](auto& temporary, int file) {
    close(file);
    fill(temporary);
  });
}

bool is_stream(const std::string& path) { return find_target(path).stream(); }

void require_writable(const std::string& path) {
  if (path.empty()) throw UsageError("an output file needs a name, got ''");
  const auto target = find_target(path);
  if (target.at && !target.descriptor && access(path.c_str(), W_OK) != 0)
    refuse("write", path, errno);
  if (target.stream()) return;
  remove_leftovers(target.path);
  const auto temporary = temporary_name(target.path);
  close(create_temporary(target, temporary));
  unlink(temporary.c_str());
}

void require_distinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  struct stat at {};
  std::vector<Target> written;
  for (const auto& output : outputs) {
    if (output.path.empty()) continue;
    const auto target = find_target(output.path);
    const std::string what = output.option + ": '" + output.path + "' is ";
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      if (fstat(stream, &at) == 0 && same_file(target, {"", "", at, {}}))
        throw UsageError(what + "where " +
                         (stream == STDOUT_FILENO ? "standard output" : "standard error") +
                         " goes; name another file");
    for (const auto& input : inputs)
      if (stat(input.path.c_str(), &at) == 0 && same_file(target, {"", "", at, {}}))
        throw UsageError(what + "also an input (" + input.option + "); name another file");
    for (std::size_t k = 0; k < written.size(); ++k)
      if (same_file(target, written[k]))
        throw UsageError(what + "also an output ('" + written[k].name + "'); name another file");
    written.push_back(target);
  }
}

std::string read_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) refuse("read", path, "it is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("read", path, errno);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace parallax
