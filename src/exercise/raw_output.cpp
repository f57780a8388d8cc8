// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/raw_output.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace parallax::raw {

Output output(std::string name, const Numbers& numbers, const Order& order,
              const std::string& space, bool in_its_memory,
              const std::shared_ptr<const void>& owner) {
  Output out;
  out.name = std::move(name);
  out.size = static_cast<std::int64_t>(numbers.count);
  out.floating = numbers.floating;
  out.data = numbers.begin;
  out.poison = [=, kept = owner] { poison(space, numbers); };
  if (in_its_memory) {
    out.shift = [=, kept = owner] { shift(numbers); };
    out.hash = [=, kept = owner] {
      return hash(numbers.memory, numbers.begin, numbers.count * numbers.size);
    };
  }
  const auto place = [=](std::size_t k) {
    return k / order.columns * order.row + k % order.columns * order.column;
  };
  out.read = [=, kept = owner] {
    const auto bytes = read(numbers.memory, numbers.begin, numbers.count * numbers.size);
    std::vector<long double> values(numbers.count);
    by_type(numbers, [&]<class T>(T) {
      const auto* elements = reinterpret_cast<const T*>(bytes.data());
      for (std::size_t k = 0; k < values.size(); ++k)
        if constexpr (std::is_integral_v<T>)
          values[k] = numbers.is_signed ? std::make_signed_t<T>(elements[place(k)])
                                        : static_cast<long double>(elements[place(k)]);
        else
          values[k] = elements[place(k)];
    });
    return values;
  };
  out.write = [=, kept = owner](const std::vector<long double>& values) {
    std::vector<unsigned char> bytes(numbers.count * numbers.size);
    by_type(numbers, [&]<class T>(T) {
      auto* elements = reinterpret_cast<T*>(bytes.data());
      for (std::size_t k = 0; k < numbers.count; ++k)
        if constexpr (std::is_integral_v<T>)
          elements[place(k)] = numbers.is_signed
                                   ? static_cast<T>(std::make_signed_t<T>(values.at(k)))
                                   : static_cast<T>(values.at(k));
        else
          elements[place(k)] = static_cast<T>(values.at(k));
    });
    write(numbers.memory, numbers.begin, bytes.data(), bytes.size());
  };
  return out;
}

}  // namespace parallax::raw
