import FoundationEssentials
import Glibc

/// A picture in SVG, of texts, lines and bars.
struct Picture {
  private static let foreground = "#d7dae0"
  private static let (green, red, blue) = ("#98c379", "#f27983", "#7aa2f7")

  private let size: (width: Int, height: Int)
  private var elements: [String] = []

  private mutating func text(
    _ text: String, x: Double, y: Double, anchor: String = "start", color: String = foreground
  ) {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    elements.append(
      "<text x=\"\(decimal(x))\" y=\"\(decimal(y))\" text-anchor=\"\(anchor)\" fill=\"\(color)\">"
        + escaped + "</text>")
  }

  /// Adds a line through points.
  private mutating func line(
    _ points: [(x: Double, y: Double)], color: String = foreground, width: Double = 1
  ) {
    let points = points.map { "\(decimal($0.x)),\(decimal($0.y))" }.joined(separator: " ")
    elements.append(
      "<polyline points=\"\(points)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(width)\"/>"
    )
  }

  func write(to path: String) {
    let start = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.width) \(size.height)" \
      font-size="12" font-family="system-ui, sans-serif">
      <rect width="100%" height="100%" rx="8" fill="#1e2127"/>
      """
    let file = ([start] + elements + ["</svg>", ""]).joined(separator: "\n")
    attempt { try Data(file.utf8).write(to: URL(filePath: path)) }
  }
}

extension Picture {
  /// Draws a bar for each ratio, on a logarithmic scale, with its quartiles and target.
  init(of measurements: [Measurement]) {
    size = (1000, 20 * measurements.count + 50)
    let limits = measurements.compactMap { measurement -> Double? in
      if case .ratio(let limit) = measurement.row.target { limit } else { nil }
    }
    let scale = Scale(
      of: measurements.map(\.ratio.median) + limits + [1], from: 610, to: 930)
    let bottom = Double(size.height) - 30
    for (value, x) in scale.ticks {
      line([(x, 15), (x, bottom)], color: value == 1 ? Self.foreground : "#4b5263")
      let tick = value < 1 ? "1/\(Int((1 / value).rounded()))" : "\(Int(value))"
      text("\(tick) x", x: x, y: bottom + 18, anchor: "middle")
    }
    for (index, measurement) in measurements.enumerated() {
      let (y, ratio) = (20 * Double(index) + 30, measurement.ratio)
      text("\(measurement.row.name) / \(measurement.baselineName)", x: 600, y: y, anchor: "end")
      if ratio.median.isNaN { continue }
      let color = measurement.isMet.map { $0 ? Self.green : Self.red } ?? Self.blue
      line([1, ratio.median].map { (scale.position(of: $0), y - 4) }, color: color, width: 10)
      line([ratio.lower, ratio.upper].map { (scale.position(of: $0), y - 4) })
      if case .ratio(let limit) = measurement.row.target {
        line([y - 11, y + 3].map { (scale.position(of: limit), $0) }, width: 2)
      }
      text("\(decimal(ratio.median)) x", x: 940, y: y, color: color)
    }
  }

  /// Draws a chart for each quantity, with a curve for each kind of storage.
  init(of points: [GrowthCurves.Point]) {
    size = (1000, 260)
    let curves = Dictionary(grouping: points, by: \.storage).sorted { $0.key < $1.key }
    for (index, quantity) in GrowthCurves.quantities.enumerated() {
      let left = 200 * Double(index) + 55
      let across = Scale(of: points.map { Double($0.count) }, from: left, to: left + 130)
      let up = Scale(of: points.map { $0.numbers[index] }, from: 210, to: 35)
      text(quantity.name, x: left, y: 20)
      for (value, y) in up.ticks {
        line([(left, y), (left + 130, y)], color: "#4b5263")
        text(short(value, quantity.units), x: left - 5, y: y + 4, anchor: "end")
      }
      for (index, (value, x)) in across.ticks.enumerated() where index % 2 == 0 {
        text(short(value, ["", "k", "M"]), x: x, y: 228, anchor: "middle")
      }
      for (curve, color) in zip(curves, [Self.blue, Self.green]) {
        line(
          curve.value.map {
            (across.position(of: Double($0.count)), up.position(of: $0.numbers[index]))
          }, color: color, width: 2)
      }
    }
    for (index, (curve, color)) in zip(curves, [Self.blue, Self.green]).enumerated() {
      text(curve.key, x: 55 + 100 * Double(index), y: 250, color: color)
    }
  }
}

/// A logarithmic scale whose ends are powers of ten.
private struct Scale {
  private let start: Double
  private let end: Double
  private let powers: ClosedRange<Int>

  init(of values: [Double], from start: Double, to end: Double) {
    (self.start, self.end) = (start, end)
    let logarithms = values.filter { $0 > 0 }.map { log10($0) }
    let lowest = Int((logarithms.min() ?? 0).rounded(.down))
    powers = lowest...max(lowest + 1, Int((logarithms.max() ?? 0).rounded(.up)))
  }

  func position(of value: Double) -> Double {
    let part = (log10(value) - Double(powers.lowerBound)) / Double(powers.count - 1)
    return start + (end - start) * min(max(part, 0), 1)
  }

  var ticks: [(value: Double, position: Double)] {
    powers.map { pow(10, Double($0)) }.map { ($0, position(of: $0)) }
  }
}

/// Returns a number with the largest of the units, each a thousand times the previous one, that
/// leaves at least one.
func short(_ number: Double, _ units: [String]) -> String {
  var (rest, index) = (number, 0)
  while rest >= 999.5, index < units.count - 1 { (rest, index) = (rest / 1000, index + 1) }
  let digits = rest == rest.rounded() ? "\(Int(rest))" : decimal(rest)
  return units[index].isEmpty ? digits : "\(digits) \(units[index])"
}
