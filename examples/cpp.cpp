// c++ -std=c++17 -O2 -o cpp examples/cpp.cpp -lm && ./cpp
// From C++: the header compiles as C++ too; a small owner frees the model, and errors become exceptions.
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class Intensity {
public:
   Intensity(const std::vector<double> &times, double from, double to)
   {
      sneppp_desc desc{};
      desc.factor[0].window.dim = 1;
      desc.factor[0].window.lo[0] = from;
      desc.factor[0].window.hi[0] = to;
      sneppp_events events{};
      events.x = times.data();
      events.count = times.size();
      sneppp_fit_desc fit{};
      fit.events = &events;
      check(sneppp_init(&model, &desc, &err));
      check(sneppp_fit(&model, &fit, nullptr, &err));
   }
   Intensity(Intensity &&other) noexcept : model(std::exchange(other.model, {})) {}
   Intensity(const Intensity &) = delete;
   Intensity &operator=(const Intensity &) = delete;
   Intensity &operator=(Intensity &&) = delete;
   ~Intensity() { sneppp_free(&model); }

   double operator()(double t) const { return sneppp_intensity(&model, &t); }
   double expected(double from, double to)
   {
      sneppp_window part{};
      part.dim = 1;
      part.lo[0] = from;
      part.hi[0] = to;
      sneppp_region region{};
      region.factor[0] = &part;
      double count = 0;
      check(sneppp_count(&model, &region, 1, &count, NULL, &err));
      return count;
   }

private:
   void check(sneppp_status status)
   {
      if (status == SNEPPP_OK) return;
      sneppp_free(&model);
      throw std::runtime_error(err.why);
   }
   sneppp_model model{};
   sneppp_error err{};
};

int main()
{
   try {
      std::ifstream       file("examples/data/coal.csv");
      std::string         line;
      std::vector<double> times;
      while (std::getline(file, line))
         if (!line.empty() && line[0] >= '0' && line[0] <= '9') times.push_back(std::stod(line));
      if (times.empty()) throw std::runtime_error("examples/data/coal.csv cannot be read");

      Intensity rate(times, 1851.2026, 1962.2204);
      for (double year = 1860; year <= 1960; year += 20) {
         std::printf("%.0f %5.2f explosions per year ", year, rate(year));
         for (int k = 0; k < static_cast<int>(std::lround(15 * rate(year))); k++) std::putchar('#');
         std::putchar('\n');
      }
      std::printf("%zu seen, %.1f expected\n", times.size(), rate.expected(1851.2026, 1962.2204));
      try {
         times.push_back(2000); // outside the window: refused, with the event named
         Intensity wrong(times, 1851.2026, 1962.2204);
         return 1;
      } catch (const std::runtime_error &e) {
         std::printf("an event in the year 2000: \"%s\"\n", e.what());
      }
      return 0;
   } catch (const std::exception &e) {
      std::cerr << "cpp: " << e.what() << '\n';
      return 1;
   }
}
