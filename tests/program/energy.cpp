// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// --energy, with a counter of the test's own.
#include <atomic>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "program/program.hpp"

using namespace parallax::program;

namespace {

/// A package's counter that advances with time, for the life of the object.
class Counter {
 public:
  Counter() {
    fs::create_directory(folder_.file("intel-rapl:0"));
    write("name", "package-0");
    write("max_energy_range_uj", "20000000");
    write("energy_uj", "5000000");
    thread_ = std::thread([this] {
      for (long microjoules = 5'000'000; !over_; microjoules += 40'000) {
        write("energy_uj", std::to_string(microjoules % 20'000'000));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  ~Counter() {
    over_ = true;
    thread_.join();
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void set() const {
    setenv("PARALLAX_RAPL", folder_.file("").c_str(), 1);
    setenv("OMP_NUM_THREADS", "1", 1);
  }

 private:
  /// A file is there as a whole, or not yet.
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file("new")) << text << "\n";
    fs::rename(folder_.file("new"), folder_.file("intel-rapl:0/" + name));
  }

  Folder folder_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("--energy counts the joules of a row, or says why it cannot") {
  const Folder folder;
  const Counter counter;
  const auto json = folder.file("r.json");
  const auto outcome =
      run({"run", "vector_add", "--variant", "range", "--space", host, "--precision", "f32",
           "--set", "n=1000", "--no-ceilings", "--energy", "--energy-time", "1", "--json", json},
          "parallax", [&] { counter.set(); });
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

TEST_CASE("--tune --energy names each value that has no joules") {
  const Folder folder;
  fs::create_directory(folder.file("intel-rapl:0"));  // a counter that stands still
  std::ofstream(folder.file("intel-rapl:0/name")) << "package-0\n";
  std::ofstream(folder.file("intel-rapl:0/max_energy_range_uj")) << "20000000\n";
  std::ofstream(folder.file("intel-rapl:0/energy_uj")) << "5000000\n";
  const auto outcome = run({"run", "matmul", "--variant", "tiled_swizzled", "--space", host,
                            "--precision", "f32", "--size", "tiny", "--tune", "--energy"},
                           "parallax", [&] {
                             setenv("PARALLAX_RAPL", folder.file("").c_str(), 1);
                             setenv("PARALLAX_CACHE", folder.file("cache").c_str(), 1);
                           });
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(lines_of(outcome.out).size() == 1);
  for (const auto* value : {"", "/tile:8", "/tile:32"})
    CHECK(outcome.err.find("matmul/tiled_swizzled/" + host + "/f32" + value + ": no joules: ") !=
          std::string::npos);
}

TEST_CASE("--tune --energy keeps what takes the fewest joules, or says why it cannot") {
  const Folder folder;
  const Counter counter;
  const auto outcome = run({"run", "matmul", "--variant", "tiled_swizzled", "--space", host,
                            "--precision", "f32", "--size", "tiny", "--tune", "--energy"},
                           "parallax", [&] {
                             counter.set();
                             setenv("PARALLAX_CACHE", folder.file("cache").c_str(), 1);
                           });
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string row = "matmul/tiled_swizzled/" + host + "/f32";
  CHECK(outcome.out.rfind("case ", 0) == 0);
  CHECK(outcome.out.find(" joules ") != std::string::npos);
  if (outcome.err.find(row + ": no joules: disturbed: ") != std::string::npos)  // a busy machine
    return;
  CHECK(outcome.out.find("\n" + row) != std::string::npos);
  const fs::path file = *fs::directory_iterator(folder.file("cache"));
  const auto kept = Json::parse(slurp(file));
  REQUIRE(kept["choices"].size() == 1);
  const auto& choice = kept["choices"][0];
  CHECK(choice["joules"] > 0);
  CHECK(choice["joules"] <= choice["own_joules"]);
  CHECK_FALSE(choice.contains("time_ns"));
}
