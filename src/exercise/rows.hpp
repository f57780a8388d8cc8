// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "exercise/messages.hpp"
#include "exercise/outputs.hpp"
#include "exercise/round_trip.hpp"

namespace parallax {

/// An array, matrix or scalar that rows write, and its name in messages: its label unless given.
template <class X, class Start = std::nullptr_t>
struct Written {
  X x;
  std::string name;
  double one_update = 0;  ///< the least that one lost update changes an element by (`Output`)
  Start start{};          ///< where kernels work in place: element i before a run

  // NOLINTNEXTLINE(google-explicit-constructor): a View is written as it is
  Written(const X& view) : x(view), name(view.label()) {}
  Written(std::string called, const X& view, double update = 0, Start before = {})
      : x(view), name(std::move(called)), one_update(update), start(before) {}

  static constexpr bool in_place = !std::is_same_v<Start, std::nullptr_t>;
  /// The same of another array of this shape.
  template <class Other>
  [[nodiscard]] Written<Other, Start> of(const Other& other) const {
    return {name, other, one_update, start};
  }
};

/// What rows write, for `Rows`.
template <class X>
Written<X> written(const std::string& name, const X& x, double one_update = 0) {
  return {name, x, one_update};
}
/// The same where kernels read what they write: `start(i)`, a device function, is element i before
/// a run that is verified. A kernel that does nothing must be wrong.
template <class X, class Start>
Written<X, Start> in_place(const std::string& name, const X& x, const Start& start,
                           double one_update = 1) {
  return {name, x, one_update, start};
}

template <class Space, class X, class Start>
Output output_of(const Space& space, const Written<X, Start>& to) {
  auto output = data::output(space, to.name, to.x, to.one_update);
  if constexpr (Written<X, Start>::in_place) {
    output.poison = [=] {
      data::fill(space, to.x, to.start);
      space.fence("parallax: the input is there again");
    };
    output.shift = {};
  }
  return output;
}

/// For `Exercise::memory`, in arrays with the number of elements that the parameter says.
struct Arrays {
  double space, host;
  bool staging = false;
};
std::function<Memory(const Parameters&, double)> arrays_of(const std::string& parameter,
                                                           const Arrays& arrays);

/// Rows with teams of this many threads.
struct Teams {
  int size;
};
inline Teams with_teams(int size) { return {size}; }

/// `lesson check` compiles one variant: what only others need may be left out by `if constexpr`.
/// Always inline, so that the compiler sees early what it need not make.
[[gnu::always_inline]] constexpr bool compiled([[maybe_unused]] std::string_view variant) {
#if defined(PARALLAX_ONLY)
  return variant == PARALLAX_ONLY;
#else
  return true;
#endif
}

/// The rows of a plan that have the work and the judge in common. Any of them may be changed after
/// it was added: `rows.add(...).expected_to_fail = true`.
class RowList {
 public:
  RowList(Work least, Judge by, std::string of_phase = "kernel")
      : work(std::move(least)), judge(std::move(by)), phase(std::move(of_phase)) {}

  Work work;    ///< of the rows that are added from now on
  Judge judge;  ///< likewise
  std::string phase;

  /// The reference is valid until the next row is added.
  Row& add(const std::string& variant, std::function<void()> run);
  Row& add(const std::string& variant, Teams teams, std::function<void()> run);
#if defined(PARALLAX_ONLY)
  // Other variants do nothing, also where an exercise runs one itself.
  template <class F>
  [[gnu::always_inline]] Row& add(const char* variant, const F& run) {
    if (!compiled(variant)) return add(std::string(variant), [] {});
    return add(std::string(variant), std::function<void()>(run));
  }
  template <class F>
  [[gnu::always_inline]] Row& add(const char* variant, Teams teams, const F& run) {
    auto& row = add(variant, run);
    row.team_size = teams.size;
    return row;
  }
#endif
  /// A row that cannot run here, and why.
  Row& unavailable(const std::string& variant, std::string why);
  /// From now on each run ends with `x`, a contiguous View of numbers, as the sum of all ranks' x.
  template <class Space, class X>
  void sum_over_ranks(const Space& space, const X& x) {
    work.messages = data::sum_of(x);
    and_then_ = [=](std::function<void()> run) { return data::then_sum(space, x, std::move(run)); };
  }

  [[nodiscard]] const std::vector<Row>& all() const { return rows_; }
  [[nodiscard]] std::vector<Row>& all() { return rows_; }
  /// The first row of this variant.
  [[nodiscard]] Row& of(const std::string& variant);
  // NOLINTNEXTLINE(google-explicit-constructor): a plan is its rows
  operator Plan() const;

 protected:
  std::vector<Row> rows_;

 private:
  std::function<std::function<void()>(std::function<void()>)> and_then_;
};

/// Rows that write one array, matrix or scalar: `check(found)` judges its copy on the host.
template <class Space, class X, class Start, class F>
class Rows : public RowList {
 public:
  Rows(const Space& space, Work least, const Written<X, Start>& to, const F& check,
       const std::string& of_phase = "kernel")
      : RowList(std::move(least), judge_of(space, to, check), of_phase),
        space_(space),
        to_(to),
        check_(check) {}

  /// Rows of phase end_to_end, from ordinary host memory to it: what the variant's kernel reads,
  /// `from`, is copied to the space's memory first, and what it writes is copied back.
  template <class... In>
  class EndToEnd {
   public:
    EndToEnd(Rows& rows, const In&... from)
        : trip(rows.space_),
          in{trip.in(from)...},
          out(Written<X, Start>::in_place ? trip.in_and_out(rows.to_.x) : trip.out(rows.to_.x)),
          rows_(rows),
          judge_(judge_of_trip(rows, out)),
          to_(bytes_of(rows.to_.x)),
          bytes_{(bytes_of(from) + ... + (Written<X, Start>::in_place ? to_ : 0)), to_} {}

    data::RoundTrip<Space> trip;
    std::tuple<data::HostTwin<In>...> in;  ///< empty on hosts
    data::HostTwin<X> out;

    /// As one writes it first: copies, the variant's kernel, a copy.
    EndToEnd& plain(const std::string& variant) {
      return add(variant, trip.plain(rows_.of(variant).run));
    }
    /// The copies staged in pinned memory.
    EndToEnd& staged(const std::string& variant) {
      return add(variant, trip.staged(rows_.of(variant).run));
    }
    /// Any other way; on hosts `run` is empty.
    EndToEnd& add(const std::string& variant, const std::function<void()>& run) {
      rows_.rows_.push_back(end_to_end_row(rows_.of(variant), bytes_, judge_, run));
      return *this;
    }

   private:
    static Judge judge_of_trip(const Rows& rows, const data::HostTwin<X>& out) {
      if constexpr (data::RoundTrip<Space>::away)
        return alike(rows.judge,
                     judge_of(Kokkos::DefaultHostExecutionSpace(), rows.to_.of(out), rows.check_));
      else
        return rows.judge;  // nothing runs
    }
    template <class Y>
    static double bytes_of(const Y& y) {
      return static_cast<double>(y.size() * sizeof(typename Y::value_type));
    }

    Rows& rows_;
    Judge judge_;
    double to_;
    Crossing bytes_;
  };
  template <class... In>
  EndToEnd<In...> end_to_end(const In&... from) {
    return EndToEnd<In...>(*this, from...);
  }

 private:
  template <class Where, class Y>
  static Judge judge_of(const Where& where, const Written<Y, Start>& to, const F& check) {
    return {{output_of(where, to)}, [=] { return check(data::on_host(to.x)); }};
  }

  Space space_;
  Written<X, Start> to_;
  F check_;
};
template <class Space, class X, class F>
requires Kokkos::is_view<X>::value Rows(const Space&, Work, const X&, const F&)
->Rows<Space, X, std::nullptr_t, F>;
template <class Space, class X, class F>
requires Kokkos::is_view<X>::value Rows(const Space&, Work, const X&, const F&, const char*)
->Rows<Space, X, std::nullptr_t, F>;

namespace inputs {
/// An array whose element i is f(i), a device function. Rows may only read it.
template <class T, class Space, class F>
data::Array<Space, T> array(const Space& space, const std::string& label, std::int64_t n,
                            const F& f) {
  const auto x = data::allocate<T>(space, label, n);
  data::fill(space, x, f);
  return x;
}
}  // namespace inputs

namespace outputs {
/// An array that rows write.
template <class T, class Space>
data::Array<Space, T> array(const Space& space, const std::string& label, std::int64_t n) {
  return data::allocate<T>(space, label, n);
}
template <class T, class Space>
data::Scalar<Space, T> scalar(const Space& space, const std::string& label) {
  return data::allocate_scalar<T>(space, label);
}
}  // namespace outputs

namespace check {
/// Every element of an array or matrix in host memory, in the order of its rows, with `expected`: a
/// function of the element's number, or a container. Within `tolerance`, a number or a function as
/// elements() takes it.
template <class Found, class Expected, class Tolerance = double>
Verdict each(std::string compared, const Found& found, const Expected& expected,
             const Tolerance& tolerance = 0.0) {
  const auto right = [&](std::int64_t i) {
    if constexpr (std::is_invocable_v<const Expected&, std::int64_t>)
      return expected(i);
    else
      return expected[static_cast<std::size_t>(i)];
  };
  const auto at = [&](std::int64_t i) {
    if constexpr (Found::rank() == 2) {
      const auto columns = static_cast<std::int64_t>(found.extent(1));
      return found(i / columns, i % columns);
    } else {
      return found(i);
    }
  };
  return elements(std::move(compared), static_cast<std::int64_t>(found.size()), at, right,
                  tolerance);
}
}  // namespace check

}  // namespace parallax
