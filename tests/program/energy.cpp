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
