// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The finished program as a process: exit statuses, messages, files.
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <atomic>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/binding.hpp"
#include "harness/caches.hpp"
#include "harness/device.hpp"
#include "harness/flush.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A space of the host that is built in: Serial where there is one. Those of the host come first.
const std::string host = parallax::space_names().front();

/// A folder of its own for each test, removed with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "parallax-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::vector<std::string> content() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  fs::path path_;
};

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  int status;
  std::string out, err;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string program(const std::string& name) {
  return std::string(PARALLAX_PROGRAM_DIR) + "/" + name;
}

/// What a child does between fork and exec.
using Setup = std::function<void()>;

pid_t start(const std::string& name, const std::vector<std::string>& arguments,
            const Folder& folder, const Setup& setup = {}) {
  std::fflush(nullptr);  // or the child would print what is buffered here once more
  const pid_t child = fork();
  if (child != 0) return child;
  if (std::freopen(folder.file("out").c_str(), "w", stdout) == nullptr ||
      std::freopen(folder.file("err").c_str(), "w", stderr) == nullptr)
    _exit(126);
  if (setup) setup();
  const std::string path = program(name);
  std::vector<char*> argv{const_cast<char*>(path.c_str())};
  for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

Outcome run(const std::vector<std::string>& arguments, const std::string& name = "parallax",
            const Setup& setup = {}) {
  const Folder folder;
  const int status = wait_for(start(name, arguments, folder, setup));
  return {status, slurp(folder.file("out")), slurp(folder.file("err"))};
}

/// Bad input: the status, nothing on standard output, and one line that holds every one of `words`.
void require_refused(int status, const std::vector<std::string>& arguments,
                     const std::vector<std::string>& words, const Setup& setup = {}) {
  const auto outcome = run(arguments, "parallax", setup);
  INFO("standard error: " << outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  const auto lines = lines_of(outcome.err);
  REQUIRE(lines.size() == 1);
  for (const auto& word : words) {
    INFO("expected: " << word);
    CHECK(lines.front().find(word) != std::string::npos);
  }
}

std::vector<std::string> exercise_names() {
  const auto list = Json::parse(run({"list", "--json"}).out);
  std::vector<std::string> names;
  for (const auto& e : list["exercises"]) names.push_back(e["name"]);
  REQUIRE(names.size() > 1);
  return names;
}

const std::vector<std::string> quick{"run", "vector_add", "--size", "tiny",       "--repeat",
                                     "2",   "--min-time", "0",      "--max-time", "0"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("bad usage is refused in one line with status 2") {
  require_refused(2, {}, {"a command is required", "run"});
  require_refused(2, {"rnu"}, {"unknown command 'rnu'", "'run'"});
  require_refused(2, {"run", "--vriant", "wide"}, {"unknown option '--vriant'", "'--variant'"});
  require_refused(2, {"run", "vector_ad"}, {"unknown exercise 'vector_ad'", "'vector_add'"});
  require_refused(2, {"run", "vector_add", "--variant", "wid"},
                  {"unknown variant 'wid'", "'wide'"});
  require_refused(2, {"run", "--space", "abacus"}, {"space 'abacus' is not built", "built in: "});
  require_refused(2, {"run", "--precision", "f16"}, {"unknown precision 'f16'", "'f32'"});
  require_refused(2, {"run", "--size", "cours"}, {"unknown size 'cours'", "'course'"});
  require_refused(2, {"run", "--seed", "-1"}, {"--seed", "'-1'"});
  require_refused(2, {"run", "--repeat", "0"}, {"--repeat", "'0'"});
  require_refused(2, {"run", "--verify", "sample"}, {"--verify", "'sample'", "'sampled'"});
  require_refused(2, {"run", "--verify", ""}, {"--verify", "''", "full", "sampled"});
  require_refused(2, {"run", "--min-time", "soon"}, {"--min-time", "'soon'"});
  require_refused(2, {"run", "--energy", "--energy-time", "0.5"}, {"--energy-time", "'0.5'"});
  require_refused(2, {"run", "--energy-time", "5"}, {"--energy-time", "--energy"});
  require_refused(2, {"run", "--energy", "--verify-only"}, {"--energy", "--verify-only"});
  require_refused(2, {"run", "--energy", "--tune"}, {"--energy", "--tune"});
  require_refused(2, {"run", "--set", "n"}, {"'n'", "name=value"});
  require_refused(2, {"run", "vector_add", "--set", "m=3"}, {"unknown parameter 'm'"});
  require_refused(2, {"run", "--image", "x.png", "vector_add"}, {"--image", "mandelbrot"});
  require_refused(2, {"run", "vector_add", "--json", ""}, {"output file"});
  require_refused(2, {"run", "--size", "tiny", "--kokkos-nonsense"}, {"'--kokkos-nonsense'"});
  require_refused(2, {"run", "--size", "tiny", "--kokkos-tools-libs="},
                  {"'--kokkos-tools-libs='", "expected a value"});
}

TEST_CASE("with --fom each timed row has a line for programs, with the time of the file") {
  const Folder folder;
  const auto outcome = run(with(quick, {"--fom", "--quiet", "--no-ceilings", "--space", host,
                                        "--json", folder.file("r.json")}));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  std::string expected;
  const auto file = nlohmann::ordered_json::parse(slurp(folder.file("r.json")));
  for (const auto& row : file["benchmarks"]) {
    if (!row.contains("real_time")) continue;
    expected += "parallax.fom " + row["name"].get<std::string>();
    for (const auto& p : row["parameters"].items())
      expected += " " + p.key() + "=" +
                  (p.value().is_string() ? p.value().get<std::string>() : p.value().dump());
    char time[32];
    std::snprintf(time, sizeof time, " %.6g ns\n", row["real_time"].get<double>());
    expected += time;
  }
  const auto from = outcome.out.find("parallax.fom ");
  REQUIRE(from != std::string::npos);
  CHECK(outcome.out.substr(from) == expected);
  for (const auto* flag : {"--verify-only", "--dry-run", "--tune"})
    require_refused(2, with(quick, {"--fom", flag}), {"--fom", flag});
}

TEST_CASE("checks compare all elements, or a sample where that is asked for and there are many") {
  const auto said = [](const std::vector<std::string>& more) {
    const Folder folder;
    const auto outcome =
        run(with({"run", "vector_add", "--space", host, "--variant", "range", "--n", "2000000",
                  "--verify-only", "--json", folder.file("r.json")},
                 more));
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("\ntime: ") != std::string::npos);
    const auto json = Json::parse(slurp(folder.file("r.json")));
    for (const char* part : {"inputs", "checks", "verified", "other"})
      CHECK(json["context"]["seconds"][part] > 0);
    return json["benchmarks"][0]["check"]["compared"].get<std::string>();
  };
  CHECK(said({}) == "every element with a serial sum");
  CHECK(said({"--verify", "full"}) == "every element with a serial sum");
  const auto sampled = said({"--verify", "sampled"});
  INFO(sampled);
  CHECK(sampled.rfind("every element with a serial sum (sampled: ", 0) == 0);
  CHECK(sampled.find(" of 2000000)") != std::string::npos);
}

TEST_CASE("what Kokkos and OpenMP would abort at is refused before they start") {
  for (const auto* value : {"0", "-1", "abc", "1e9", "0x4", "99999999999"})
    require_refused(2, with(quick, {std::string("--kokkos-num-threads=") + value}),
                    {"--kokkos-num-threads", std::string("'") + value + "'", "whole number"});
  require_refused(2, with(quick, {"--kokkos-num-threads"}), {"expected a value"});
  require_refused(2, with(quick, {"--kokkos-device-id=x"}), {"--kokkos-device-id", "'x'"});
  require_refused(2, with(quick, {"--kokkos-disable-warnings=maybe"}), {"'maybe'", "true"});
  require_refused(2, {"run", "--dry-run", "--kokkos-num-threads=0"}, {"--kokkos-num-threads"});
  require_refused(3, with(quick, {"--kokkos-tools-libs=/nonexistent.so"}), {"/nonexistent.so"});
  require_refused(2, quick, {"KOKKOS_NUM_THREADS", "'abc'"},
                  [] { setenv("KOKKOS_NUM_THREADS", "abc", 1); });
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST_CASE("more threads than Kokkos can hold are refused, as many as it can hold are not") {
  require_refused(2, quick, {"OMP_NUM_THREADS", "'513'", "512"},
                  [] { setenv("OMP_NUM_THREADS", "513", 1); });
  require_refused(2, with(quick, {"--kokkos-num-threads=513"}), {"'513'", "512"});
  require_refused(2, with(quick, {"--kokkos-num-threads=4"}), {"4 threads", "OMP_THREAD_LIMIT=2"},
                  [] { setenv("OMP_THREAD_LIMIT", "2", 1); });
  const auto outcome = run({"run", "vector_add", "--size", "tiny", "--space", "openmp", "--variant",
                            "range", "--verify-only", "--kokkos-num-threads=512"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("threads of openmp: 512") != std::string::npos);
}

TEST_CASE("threads are bound to the cores there are, unless the user says otherwise") {
  const Folder folder;
  const auto space = [&](const Setup& setup) {
    const auto outcome = run({"run", "vector_add", "--size", "tiny", "--space", "openmp",
                              "--variant", "range", "--verify-only", "--json", folder.file("r")},
                             "parallax", setup);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    const auto context = Json::parse(slurp(folder.file("r")))["context"];
    return context["spaces"]["openmp"];
  };
  const auto undecided = [] {
    for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES"}) unsetenv(name);
  };
  CHECK(space(undecided)["places"] == parallax::available_cores());
  const auto free = space([&] {
    undecided();
    setenv("OMP_PROC_BIND", "false", 1);
  });
  CHECK(free["places"] == 1);
  CHECK(free["binding"] == "OMP_PROC_BIND=false");
  const auto alone = space([&] {  // as with taskset: a mask of one processor
    undecided();
    cpu_set_t mask, one;
    sched_getaffinity(0, sizeof mask, &mask);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
  });
  CHECK(alone["concurrency"] == 1);
  CHECK(alone["places"] == 1);
  CHECK(alone["binding"] == "there is one core");
}
#endif

TEST_CASE("sizes that cannot be are refused in one line with status 2") {
  for (const char* n : {"0", "-5", "abc", "1.5", "1e30", "9223372036854775808", "", "nan", "inf"}) {
    INFO("n = " << n);
    require_refused(2, {"run", "vector_add", "--set", std::string("n=") + n},
                    {"parameter 'n'", std::string("'") + n + "'", "whole number"});
  }
  require_refused(2, {"run", "mandelbrot", "--real", "1,0"}, {"'real'", "low <= high"});
}

TEST_CASE("what the machine cannot do is refused before the work with status 3") {
  require_refused(3, {"run", "vector_add", "--set", "n=1e14"}, {"vector_add", "memory", "free"});
  require_refused(3, with(quick, {"--json", "/nonexistent/folder/x.json"}),
                  {"/nonexistent/folder/x.json"});
  require_refused(3, with(quick, {"--csv", "/"}), {"'/'"});
  require_refused(3, {"run", "--size", "no-such-file.json"}, {"no-such-file.json"});
  require_refused(3, with(quick, {"--space", host, "--energy"}),
                  {"--energy", host + ": no RAPL: /nowhere has no domain 'package'"},
                  [] { setenv("PARALLAX_RAPL", "/nowhere", 1); });
}

TEST_CASE("a limit of the address space is heeded by ceilings and by the memory check") {
  for (const auto& space : parallax::space_names())
    if (!parallax::runs_on_host(space))
      SKIP("a device's runtime reserves more than any such limit");
  const auto limited = [] {
    const rlimit most{1'500'000'000, 1'500'000'000};
    setrlimit(RLIMIT_AS, &most);
  };
  const auto outcome = run(with(quick, {"--space", host}), "parallax", limited);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("ceilings of " + host) != std::string::npos);
  CHECK(outcome.out.find("inf ") == std::string::npos);
  require_refused(3, {"run", "vector_add", "--space", host, "--set", "n=2e8"}, {"memory", "free"},
                  limited);
}

TEST_CASE("rows that are not available here are a line, and all of them are in the file") {
  const Folder folder;
  const std::vector<std::string> request{
      "run",    "vector_add",          "--size",       "tiny", "--space", host,
      "--json", folder.file("r.json"), "--verify-only"};
  const auto outcome = run(request);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("n/a") == std::string::npos);
  CHECK(outcome.out.find("2 rows are not available here") != std::string::npos);
  const auto rows = Json::parse(slurp(folder.file("r.json")))["benchmarks"];
  CHECK(std::count_if(rows.begin(), rows.end(),
                      [](const Json& row) { return row.contains("skipped"); }) == 2);
  CHECK(run(with(request, {"--all-rows"})).out.find("n/a: ") != std::string::npos);
}

TEST_CASE("the help of an exercise lists its own parameters only") {
  CHECK(run({"--help"}, "circle_area").out.find("--max-iterations") == std::string::npos);
  const auto help = run({"run", "circle_area", "--help"}).out;
  CHECK(help.find("--trials") != std::string::npos);
  CHECK(help.find("--max-iterations") == std::string::npos);
  CHECK(help.find("darts, all threads together") != std::string::npos);
  CHECK(help.find("mandelbrot_area") == std::string::npos);
  CHECK(run({"run", "--help"}).out.find("--max-iterations") != std::string::npos);
}

TEST_CASE("size files that are wrong are refused in one line") {
  const Folder folder;
  const auto refuse = [&](const std::string& content, const std::vector<std::string>& words) {
    std::ofstream(folder.file("size.json")) << content;
    require_refused(2, {"run", "--size", folder.file("size.json")}, words);
  };
  refuse("not json", {"not a JSON object"});
  refuse("[1, 2]", {"not a JSON object"});
  refuse(R"({"vector_add": {"n": 10)", {"not a JSON object"});
  refuse(R"({"vector_add": {"m": 10}})", {"vector_add", "unknown parameter 'm'"});
  refuse(R"({"vector_ad": {"n": 10}})", {"unknown exercise 'vector_ad'", "'vector_add'"});
  refuse(R"({"vector_add": {"n": [1]}})", {"'n'", "number or a string"});
  refuse(R"({"vector_add": {"n": -1}})", {"'n'", "'-1'"});
  refuse(R"({"base": "huge"})", {"base", "tiny, course or large"});
}

TEST_CASE("a size file may hold several sets of parameters, and names stay unique") {
  const Folder folder;
  std::ofstream(folder.file("size.json"))
      << R"({"base": "tiny", "vector_add": [{"n": 10}, {"n": 1e3}]})";
  const auto outcome =
      run({"run", "vector_add", "--variant", "range", "--space", host, "--size",
           folder.file("size.json"), "--verify-only", "--json", folder.file("r.json")});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto json = Json::parse(slurp(folder.file("r.json")));
  std::vector<std::string> names;
  for (const auto& row : json["benchmarks"])
    if (!row.contains("skipped")) names.push_back(row["name"]);
  CHECK(names == std::vector<std::string>{"vector_add/range/" + host + "/f32/n:10",
                                          "vector_add/range/" + host + "/f32/n:1000.0"});
}

TEST_CASE("a program of one exercise takes the size files of the whole suite") {
  const Folder folder;
  const auto sizes = folder.file("size.json");
  Json every = Json::object();
  for (const auto& name : exercise_names()) every[name] = Json::object();
  every["tree_sum"] = {{"n", 20}};
  std::ofstream(sizes) << every;
  const auto outcome = run({"--space", host, "--size", sizes, "--dry-run"}, "tree_sum");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("n=20") != std::string::npos);
  CHECK(outcome.out.find("vector_add") == std::string::npos);
  std::ofstream(sizes) << R"({"vector_ad": {"n": 10}})";
  const auto refused = run({"--size", sizes}, "tree_sum");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("unknown exercise 'vector_ad'") != std::string::npos);
}

TEST_CASE("the size file of odd sizes has every exercise, and all of its sizes can be run") {
  const std::string sizes = std::string(PARALLAX_SOURCE_DIR) + "/configs/sizes/odd.json";
  const auto json = Json::parse(slurp(sizes));
  for (const auto& name : exercise_names()) {
    INFO(name);
    CHECK(json.contains(name));
  }
  const auto outcome = run({"run", "all", "--size", sizes, "--precision", "all", "--dry-run"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
}

TEST_CASE("a dry run says what would be run, and runs nothing") {
  const Folder folder;
  const auto outcome = run({"run", "all", "--dry-run", "--json", folder.file("r.json")});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("mandelbrot/simd/") != std::string::npos);
  CHECK(folder.content().empty());
}

TEST_CASE("rows with empty caches stand beside the others, verified and under names of their own") {
  const auto space = parallax::describe_space(host);
  if (parallax::Flush::wanted_bytes(true, parallax::caches_of(space)) > space.memory_free / 4)
    SKIP("too little memory to empty the caches");
  const Folder folder;
  const auto outcome = run(with(quick, {"--cold", "--no-ceilings", "--space", host, "--variant",
                                        "range,wide", "--json", folder.file("r.json")}));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto rows = Json::parse(slurp(folder.file("r.json")))["benchmarks"];
  std::vector<Json> timed;
  for (const auto& row : rows)
    if (row.contains("real_time")) timed.push_back(row);
  REQUIRE(timed.size() == 4);
  for (std::size_t k = 0; k < timed.size(); k += 2) {
    const auto &warm = timed[k], &cold = timed[k + 1];
    CHECK_FALSE(warm.contains("cold"));
    CHECK(cold["cold"] == true);
    CHECK(cold["name"] == warm["name"].get<std::string>() + "/cold");
    CHECK(cold["verified"] == true);
    CHECK(cold["iterations"] == 1);
    CHECK(cold["samples"].size() >= 2);
    CHECK(cold["working_set"] == warm["working_set"]);
  }
  CHECK(outcome.out.find("/cold") != std::string::npos);
  require_refused(2, with(quick, {"--cold", "--verify-only"}), {"--cold", "--verify-only"});
}

TEST_CASE("--energy counts the joules of a row, or says why it cannot") {
  const Folder folder;
  // A counter that advances with time: a file is there as a whole, or not yet.
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file("new")) << text << "\n";
    fs::rename(folder.file("new"), folder.file("intel-rapl:0/" + name));
  };
  fs::create_directory(folder.file("intel-rapl:0"));
  write("name", "package-0");
  write("max_energy_range_uj", "20000000");
  long microjoules = 5'000'000;
  write("energy_uj", std::to_string(microjoules));
  std::atomic<bool> over = false;
  std::thread counter([&] {
    while (!over) {
      write("energy_uj", std::to_string((microjoules += 40'000) % 20'000'000));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto json = folder.file("r.json");
  const auto outcome =
      run({"run", "vector_add", "--variant", "range", "--space", host, "--precision", "f32",
           "--set", "n=1000", "--no-ceilings", "--energy", "--energy-time", "1", "--json", json},
          "parallax", [&] {
            setenv("PARALLAX_RAPL", folder.file("").c_str(), 1);
            setenv("OMP_NUM_THREADS", "1", 1);
          });
  over = true;
  counter.join();
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find(" joules ") != std::string::npos);
  std::size_t kernels = 0;
  const auto file = Json::parse(slurp(json));
  for (const auto& row : file["benchmarks"]) {
    if (!row.contains("samples")) continue;
    ++kernels;
    INFO(row.dump());
    REQUIRE(row.contains("energy"));
    const auto& energy = row["energy"];
    if (energy.is_null()) {  // on a busy machine
      const std::string why = row["energy_missing"];
      CHECK(why.find("disturbed: ") == 0);
      CHECK(outcome.out.find("no joules: " + std::string(row["name"]) + ": " + why) !=
            std::string::npos);
      continue;
    }
    CHECK(energy["joules_per_run"] > 0);
    CHECK(energy["joules_per_run"] == energy["parts"]["package"]["joules_per_run"]);
    CHECK(energy["parts"]["package"]["source"] == "RAPL");
    CHECK(double(energy["joules_per_item"]) * double(row["items"]) ==
          Catch::Approx(double(energy["joules_per_run"])));
    CHECK(energy["seconds"] >= 1);
    CHECK(energy["runs"] > 0);
    CHECK(energy["readings"] >= 2);
    CHECK(outcome.out.find("J package  verified") != std::string::npos);
  }
  CHECK(kernels == 1);
}

TEST_CASE("ceilings of the caches are kept, and measured again where that is asked for") {
  const Folder folder, cache;
  const auto elsewhere = [&] { setenv("PARALLAX_CACHE", cache.file("kept").c_str(), 1); };
  const auto outcome_of = [&](const std::vector<std::string>& more) {
    const auto outcome = run(
        with(with(quick, {"--space", host, "--variant", "range", "--json", folder.file("r.json")}),
             more),
        "parallax", elsewhere);
    REQUIRE(outcome.status == 0);
    return outcome;
  };
  const auto kept = [&] {
    return Json::parse(slurp(
        folder.file("r.json")))["context"]["spaces"][host]["ceilings"]["caches"]["kept"]
        .get<bool>();
  };
  outcome_of({});
  CHECK_FALSE(kept());
  std::vector<fs::path> files(fs::directory_iterator(cache.file("kept")), {});
  REQUIRE(files.size() == 1);
  CHECK(outcome_of({}).err.find("ceilings") == std::string::npos);
  CHECK(kept());
  std::ofstream(files.front()) << "{";
  CHECK(outcome_of({}).err.find(files.front().filename().string()) != std::string::npos);
  CHECK_FALSE(kept());
  outcome_of({"--fresh-ceilings"});
  CHECK_FALSE(kept());
  require_refused(2, with(quick, {"--fresh-ceilings", "--no-ceilings"}),
                  {"--fresh-ceilings", "--no-ceilings"});
}

TEST_CASE("options that contradict --tune or --tuned-for-this-machine are refused") {
  const std::vector<std::string> tune{"run", "matmul", "--space", host, "--tune"};
  for (const auto& other : std::vector<std::vector<std::string>>{{"--verify-only"},
                                                                 {"--dry-run"},
                                                                 {"--diagnose"},
                                                                 {"--team-size", "1"},
                                                                 {"--sweep", "team_size=1,2"},
                                                                 {"--set", "tile=8"},
                                                                 {"--json", "x"},
                                                                 {"--csv", "x"},
                                                                 {"--tuned-for-this-machine"}})
    require_refused(2, with(tune, other), {"--tune and " + other[0], "exclude"});
  const std::vector<std::string> tuned{"run", "matmul", "--space", host,
                                       "--tuned-for-this-machine"};
  require_refused(2, with(tuned, {"--team-size", "1"}), {tuned.back() + " and --team-size"});
  require_refused(2, with(tuned, {"--dry-run"}), {tuned.back() + " and --dry-run"});
  for (const auto* flag : {"--tune", "--tuned-for-this-machine"})
    require_refused(2, {"run", "vector_add", "--variant", "range", flag},
                    {flag, "tuning parameters"});
}

TEST_CASE("what --tune finds is kept for this machine, and taken where that is asked for") {
  const Folder folder, results;
  const auto here = [&] { setenv("PARALLAX_CACHE", folder.file("cache").c_str(), 1); };
  const std::vector<std::string> matmul{
      "run",        "matmul", "--size",     "tiny",
      "--space",    host,     "--variant",  "naive,tiled_swizzled",
      "--repeat",   "2",      "--min-time", "0",
      "--max-time", "0"};
  const std::vector<std::string> tuned =
      with(matmul, {"--tuned-for-this-machine", "--json", results.file("r.json"), "--no-ceilings"});
  require_refused(3, tuned, {folder.file("cache"), "--tune"}, here);

  const auto outcome = run(with(matmul, {"--tune"}), "parallax", here);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  const auto lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].rfind("case ", 0) == 0);
  CHECK(lines[1].rfind("matmul/tiled_swizzled/" + host + "/f32 ", 0) == 0);
  CHECK(lines[1].find("tile=16") != std::string::npos);
  const fs::path kept = *fs::directory_iterator(folder.file("cache"));
  auto cache = Json::parse(slurp(kept));
  REQUIRE(cache["choices"].size() == 1);
  auto& choice = cache["choices"][0];
  CHECK(choice["variant"] == "tiled_swizzled");
  CHECK(choice["time_ns"] <= choice["own_time_ns"]);

  choice["values"] = {{"tile", "8"}};  // as another machine would have chosen
  std::ofstream(kept) << cache;
  const auto taken = run(tuned, "parallax", here);
  INFO(taken.err);
  REQUIRE(taken.status == 0);
  CHECK(taken.err.empty());
  const auto json = Json::parse(slurp(results.file("r.json")));
  for (const auto& row : json["benchmarks"]) {
    if (row["phase"] != "kernel") continue;
    const bool swizzled = row["variant"] == "tiled_swizzled";
    CHECK(row.value("tuned_for_this_machine", false) == swizzled);
    CHECK(row["parameters"]["tile"] == (swizzled ? 8 : 16));
    CHECK(row["verified"] == true);
  }

  std::ofstream(kept) << "{";
  require_refused(3, tuned, {kept.string(), "damaged"}, here);
  const auto again = run(with(matmul, {"--tune"}), "parallax", here);
  CHECK(again.status == 0);
  REQUIRE(lines_of(again.err).size() == 1);
  CHECK(again.err.find(kept.string()) != std::string::npos);
  CHECK(run(tuned, "parallax", here).status == 0);
}

TEST_CASE("team sizes are tuned where teams may have several threads") {
  const auto spaces = parallax::space_names();
  if (std::find(spaces.begin(), spaces.end(), "openmp") == spaces.end())
    SKIP("teams of Serial have one thread");
  const Folder folder;
  const auto here = [&] { setenv("PARALLAX_CACHE", folder.file("cache").c_str(), 1); };
  const auto add = with(quick, {"--space", "openmp"});
  const auto outcome = run(with(add, {"--tune"}), "parallax", here);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(lines_of(outcome.out).size() == 3);
  CHECK(outcome.out.find("vector_add/team/openmp/f32") != std::string::npos);
  CHECK(outcome.out.find("team_size=") != std::string::npos);
  const auto taken = run(with(add, {"--tuned-for-this-machine", "--json", folder.file("r.json")}),
                         "parallax", here);
  CHECK(taken.status == 0);
  const auto json = Json::parse(slurp(folder.file("r.json")));
  for (const auto& row : json["benchmarks"])
    if (row["phase"] == "kernel")
      CHECK(row.value("tuned_for_this_machine", false) == row.contains("team_size"));
}

TEST_CASE("results are written whole, in Google Benchmark's schema") {
  const Folder folder;
  const auto outcome = run(with(quick, {"--json", folder.file("r.json"), "--csv",
                                        folder.file("r.csv"), "--precision", "all"}));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(folder.content() == std::vector<std::string>{"r.csv", "r.json"});
  const auto json = Json::parse(slurp(folder.file("r.json")));
  CHECK(json["context"]["complete"] == true);
  for (const char* field : {"date", "host_name", "num_cpus", "executable", "library_version", "git",
                            "kokkos_version", "compiler", "flags", "spaces", "slurm_job_id"}) {
    INFO(field);
    CHECK(json["context"].contains(field));
  }
  std::map<std::string, int> timed;  // by space and phase
  for (const auto& row : json["benchmarks"]) {
    if (row.contains("skipped")) {
      CHECK_FALSE(row["skip_message"].get<std::string>().empty());
      continue;
    }
    const std::string space = row["space"], phase = row["phase"];
    ++timed[space + " " + phase];
    INFO(row["name"]);
    CHECK(row["verified"] == true);
    CHECK(row["run_type"] == "iteration");
    CHECK(row["time_unit"] == "ns");
    CHECK(row["real_time"].get<double>() > 0);
    CHECK(row["min_time"] <= row["real_time"]);
    CHECK(row["real_time"] <= row["max_time"]);
    CHECK(row["samples"].size() == row["repetitions"].get<std::size_t>());
    // What crosses the bus has no ceiling.
    CHECK(row.contains("percent_of_ceiling") == (phase == "kernel"));
    if (phase == "kernel") {
      CHECK(row["percent_of_ceiling"].get<double>() > 0);
      // On a busy machine a launch may take longer than so little work.
      const std::string ceiling = row["ceiling"];
      CHECK((ceiling == "triad" || ceiling == "launch" || ceiling.rfind("fma_", 0) == 0));
      CHECK(row["working_set"] == row["bytes"]);  // three arrays, each moved once
    }
    CHECK(row["check"]["error"] <= row["check"]["tolerance"]);
    CHECK(row["result"].contains("sum"));
  }
  // Four variants in two precisions; two of them have end_to_end rows, which devices alone run.
  std::map<std::string, int> expected;
  for (const auto& space : parallax::space_names()) {
    expected[space + " kernel"] = 8;
    if (!parallax::runs_on_host(space)) expected[space + " end_to_end"] = 4;
  }
  CHECK(timed == expected);
  const auto csv = slurp(folder.file("r.csv"));
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) ==
        json["benchmarks"].size() + 1);
}

TEST_CASE("every exercise is a program of its own, with the same options") {
  const auto outcome =
      run({"--size", "tiny", "--verify-only", "--space", host, "--variant", "simd"}, "mandelbrot");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("mandelbrot/simd/" + host + "/f64") != std::string::npos);
  CHECK(outcome.out.find("vector_add") == std::string::npos);
}

TEST_CASE("a picture is a PNG of the right size") {
  const Folder folder;
  const auto outcome = run({"run", "mandelbrot", "--rows", "31", "--columns", "47", "--space", host,
                            "--verify-only", "--image", folder.file("m.png")});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto png = slurp(folder.file("m.png"));
  REQUIRE(png.size() > 33);
  CHECK(png.substr(1, 3) == "PNG");
  CHECK(static_cast<unsigned char>(png[19]) == 47);  // width and height, big-endian, in the header
  CHECK(static_cast<unsigned char>(png[23]) == 31);
}

TEST_CASE("a signal ends the run after the sample in hand, and what was finished is kept") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Folder folder;
    const Folder output;
    const pid_t child = start(
        "parallax",
        {"run", "vector_add", "--size", "tiny", "--space", host, "--variant", "range,team,wide",
         "--precision", "all", "--min-time", "1000", "--repeat", "3", "--verify-only"},
        folder);
    CHECK(wait_for(child) == 0);
    const pid_t endless = start("parallax",
                                {"run", "vector_add", "--sweep", "n=1000:900000:+1000", "--space",
                                 host, "--min-time", "1", "--json", output.file("r.json")},
                                folder);
    // The file is written after the first row; the others would take minutes.
    while (!fs::exists(output.file("r.json")) && waitpid(endless, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(endless, signal);
    CHECK(wait_for(endless) == 128 + signal);
    CHECK(output.content() == std::vector<std::string>{"r.json"});
    const auto json = Json::parse(slurp(output.file("r.json")));
    CHECK(json["context"]["complete"] == false);
    CHECK_FALSE(json["benchmarks"].empty());
    const auto lines = lines_of(slurp(folder.file("err")));
    REQUIRE(lines.size() == 1);
    CHECK(lines.front().find("stopped by signal") != std::string::npos);
  }
}

TEST_CASE("compare sets two files side by side, and refuses what is not a results file") {
  const Folder folder;
  REQUIRE(run(with(quick, {"--json", folder.file("a.json")})).status == 0);
  REQUIRE(run(with(quick, {"--json", folder.file("b.json")})).status == 0);
  const auto outcome = run({"compare", folder.file("a.json"), folder.file("b.json")});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("vector_add/wide/" + host + "/f32") != std::string::npos);
  std::ofstream(folder.file("bad.json")) << "{";
  require_refused(2, {"compare", folder.file("a.json"), folder.file("bad.json")}, {"bad.json"});
  std::ofstream(folder.file("other.json")) << "{\"a\": 1}";
  require_refused(2, {"compare", folder.file("a.json"), folder.file("other.json")}, {"benchmarks"});
  require_refused(3, {"compare", folder.file("a.json"), folder.file("missing.json")},
                  {"missing.json"});
}

TEST_CASE("list and info say what is built in") {
  const auto list = run({"list", "--json"});
  REQUIRE(list.status == 0);
  const auto json = Json::parse(list.out);
  CHECK(json["spaces"].get<std::vector<std::string>>() == parallax::space_names());
  for (const auto& e : json["exercises"]) {
    INFO(e["name"]);
    CHECK_FALSE(e["summary"].get<std::string>().empty());
    CHECK_FALSE(e["teaches"].get<std::string>().empty());
    CHECK_FALSE(e["variants"].empty());
    CHECK_FALSE(e["parameters"].empty());
  }
  CHECK(run({"list"}).out.find("vector_add") != std::string::npos);
  const auto version = run({"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.rfind("parallax ", 0) == 0);
}
