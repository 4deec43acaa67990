/// The median and the quartiles of a sample.
struct Quartiles {
  var lower: Double
  var median: Double
  var upper: Double
  var highest: Double

  /// Creates the quartiles of a sample, which must not be empty.
  init(of sample: [Double]) {
    let sorted = sample.sorted()
    func value(at fraction: Double) -> Double {
      let position = fraction * Double(sorted.count - 1)
      let below = sorted[Int(position)]
      let above = sorted[min(Int(position) + 1, sorted.count - 1)]
      return below + (above - below) * (position - position.rounded(.down))
    }
    lower = value(at: 0.25)
    median = value(at: 0.5)
    upper = value(at: 0.75)
    highest = value(at: 1)
  }
}
