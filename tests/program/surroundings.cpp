// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What the program finds around it: a launcher's variables, full disks, file systems without locks,
// terminals, no home.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "data/event_file.hpp"
#include "program/program.hpp"

using namespace parallax::program;

namespace {

/// As a shell that was itself started by a launcher.
void among_two() {
  setenv("PMI_SIZE", "2", 1);
  setenv("PARALLAX_MPI_LIBRARY", "/nowhere/mpi.so", 1);
}

/// What a command says on a standard error that may be written where no file may.
Outcome run_limited(const std::vector<std::string>& arguments, rlim_t bytes) {
  const Folder folder;
  int ends[2] = {};
  REQUIRE(pipe(ends) == 0);
  const int status = wait_for(start("parallax", arguments, folder, [&] {
    dup2(ends[1], STDERR_FILENO);
    const rlimit most{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &most);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
  }));
  close(ends[1]);
  std::string said(65536, '\0');
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], said.data(), 65536))));
  close(ends[0]);
  return {status, slurp(folder.file("out")), said};
}

/// Like a file system without flock: the system call fails with ENOSYS.
void without_locks() {
  const std::array<sock_filter, 4> program{
      {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
       {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_flock},
       {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
       {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
  const sock_fprog filter{program.size(), const_cast<sock_filter*>(program.data())};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(125);
}

/// What a run shows on a terminal.
std::string shown_on_terminal(const std::vector<std::string>& arguments, const Setup& setup) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(end >= 0);
  const auto outcome = run(arguments, "parallax", [&] {
    dup2(end, STDERR_FILENO);
    setup();
  });
  CHECK(outcome.status == 0);
  std::string shown(65536, '\0');
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  shown.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, read(terminal, shown.data(), shown.size()))));
  close(end);
  close(terminal);
  return shown;
}

}  // namespace

TEST_CASE("only run joins the ranks that a launcher's variables speak of") {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--version"}, {"--help"}, {"run", "--help"}, {"list"}, {"generate", "--help"}}) {
    INFO(words.front());
    const auto outcome = run(words, "parallax", among_two);
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out == run(words).out);
  }
  CHECK(run({"info"}, "parallax", among_two).status == 0);
  CHECK(run({"--help"}, "vector_add", among_two).status == 0);
  require_refused(3, quick, {"cannot load MPI: /nowhere/mpi.so"}, among_two);
  require_refused(3, {"info", "--ranks"}, {"cannot load MPI: /nowhere/mpi.so"}, among_two);
  require_refused(2, {"info", "--ranks"}, {"--ranks", "one rank", "mpirun"});
}

TEST_CASE("an option that is given as '' is refused, whatever CLI11 thinks of it") {
  for (const auto* flag : {"--variant", "--space", "--size", "--set", "--input", "--input-layout",
                           "--json", "--sweep", "--team-size"})
    require_refused(2, {"run", "dilepton_mass", flag, ""}, {flag, "''", "variable"});
  for (const auto* set : {"input=", "n=1000,input=", "input_layout="})
    require_refused(2, {"run", "dilepton_mass", "--set", set}, {"'input", "''", "variable"});
  require_refused(2, {"run", ""}, {"''"});
  require_refused(2, {"generate", "events", ""}, {"''"});
  require_refused(2, {"report", "--title", "", "a.json", "-o", "b.html"}, {"--title", "''"});
}

TEST_CASE("a full disk is one line, and leaves nothing behind") {
  if (!parallax::data::have_hdf5()) SKIP("this build has no HDF5");
  const Folder folder;
  // From none at all, where HDF5 itself would abort, to all but the end.
  for (const rlim_t room : {0, 1, 4096, 10'000, 100'000, 2'000'000})
    for (const auto* more : {"n=200000,compression=0", "n=200000,compression=1"}) {
      INFO(room << " bytes, " << more);
      const auto outcome =
          run_limited({"generate", "events", folder.file("a.h5"), "--set", more}, room);
      CHECK(outcome.status == 3);
      const auto lines = lines_of(outcome.err);
      REQUIRE(lines.size() == 1);
      CHECK(lines.front().find("cannot write '" + folder.file("a.h5") + "': File too large") !=
            std::string::npos);
      CHECK(fs::is_empty(folder.path()));
    }
  const auto outcome = run_limited(with(quick, {"--json", folder.file("r.json")}), 100);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("File too large") != std::string::npos);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("events are written and read where locks do not work") {
  if (!parallax::data::have_hdf5()) SKIP("this build has no HDF5");
  const Folder folder;
  const auto file = folder.file("a.h5");
  const auto locks = [](const char* asked_for) {
    return [=] {
      without_locks();
      setenv("HDF5_USE_FILE_LOCKING", asked_for, 1);
    };
  };
  const auto made = run({"generate", "events", file, "--set", "n=1000"}, "parallax", locks("TRUE"));
  if (made.status == 125) SKIP("a process may not give up its own system calls here");
  INFO(made.err);
  CHECK(made.status == 0);
  const auto read = run({"run", "dilepton_mass", "--input", file, "--verify-only", "--space", host},
                        "parallax", locks("TRUE"));
  INFO(read.err);
  CHECK(read.status == 0);
}

TEST_CASE("escape sequences are for terminals that want them") {
  const auto verify = with(quick, {"--space", host, "--variant", "range"});
  const auto of = [&](const char* term, const char* no_color) {
    return shown_on_terminal(verify, [=] {
      setenv("TERM", term, 1);
      setenv("NO_COLOR", no_color, 1);
    });
  };
  CHECK(of("xterm", "").find("\033[K") != std::string::npos);
  CHECK(of("dumb", "").empty());
  CHECK(of("", "").empty());
  CHECK(of("xterm", "1").empty());
}

TEST_CASE("no home and no variable at all") {
  const auto bare = [] { clearenv(); };
  CHECK(run({"list"}, "parallax", bare).status == 0);
  const auto outcome =
      run(with(with_ceilings, {"--space", host, "--variant", "range"}), "parallax", [&] {
        bare();
        setenv("OMP_NUM_THREADS", "1", 1);
      });
  INFO(outcome.err);
  CHECK(outcome.status == 0);
}
