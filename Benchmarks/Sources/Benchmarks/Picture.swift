import FoundationEssentials
import Glibc

/// A picture in SVG of texts and lines, in light or dark colors on a background of its own.
struct Picture {
  /// What an element stands for; the classes of the style sheet have these names.
  private enum Ink: String {
    case text, grid, met, missed, first, second
  }

  private static let style = """
    <style>
    .page { color: #ffffff } .text { color: #1f2328 } .grid { color: #d0d7de }
    .met, .second { color: #1a7f37 } .missed { color: #cf222e } .first { color: #0969da }
    @media (prefers-color-scheme: dark) {
      .page { color: #1e2127 } .text { color: #d7dae0 } .grid { color: #4b5263 }
      .met, .second { color: #98c379 } .missed { color: #f27983 } .first { color: #7aa2f7 }
    }
    rect, text { fill: currentColor }
    polyline { fill: none; stroke: currentColor }
    .second { stroke-dasharray: 6 3 }
    </style>
    """

  private let title: String
  private let description: String
  private let size: (width: Int, height: Int)
  private var elements: [String] = []

  private init(title: String, description: String, size: (width: Int, height: Int)) {
    (self.title, self.description, self.size) = (title, description, size)
    text(description, x: 15, y: 20)
  }

  private mutating func text(
    _ text: String, x: Double, y: Double, anchor: String = "start", ink: Ink = .text
  ) {
    elements.append(
      "<text x=\"\(decimal(x))\" y=\"\(decimal(y))\" text-anchor=\"\(anchor)\" "
        + "class=\"\(ink)\">\(escaped(text))</text>")
  }

  /// Adds a line through points.
  private mutating func line(
    _ points: [(x: Double, y: Double)], ink: Ink = .text, width: Double = 1
  ) {
    let points = points.map { "\(decimal($0.x)),\(decimal($0.y))" }.joined(separator: " ")
    elements.append(
      "<polyline points=\"\(points)\" class=\"\(ink)\" stroke-width=\"\(width)\"/>")
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  func write(to path: String) {
    let start = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.width) \(size.height)" \
      font-size="12" font-family="system-ui, sans-serif" role="img" \
      aria-labelledby="title description">
      <title id="title">\(escaped(title))</title>
      <desc id="description">\(escaped(description))</desc>
      \(Self.style)
      <rect class="page" width="100%" height="100%" rx="8"/>
      """
    let file = ([start] + elements + ["</svg>", ""]).joined(separator: "\n")
    attempt { try Data(file.utf8).write(to: URL(filePath: path)) }
  }
}

extension Picture {
  /// Draws a bar for each ratio, with its quartiles and target.
  init(of measurements: [Measurement]) {
    let measurements = measurements.filter { !$0.ratio.median.isNaN }
    self.init(
      title: "The ratio of each row to its baseline",
      description: """
        A bar starts at a ratio of 1 and ends at that of the row: to the left, Locket takes less \
        time. A thin line is the middle half of the ratios, and an upright one is the target.
        """, size: (1040, 20 * measurements.count + 75))
    let limits = measurements.compactMap { measurement -> Double? in
      if case .ratio(let limit) = measurement.row.target { limit } else { nil }
    }
    let scale = Scale(
      of: measurements.map(\.ratio.median) + limits + [1], from: 610, to: 930)
    let bottom = Double(size.height) - 30
    for (value, x) in scale.ticks {
      line([(x, 40), (x, bottom)], ink: value == 1 ? .text : .grid)
      let tick = value < 1 ? "1/\(Int((1 / value).rounded()))" : "\(Int(value))"
      text("\(tick) x", x: x, y: bottom + 18, anchor: "middle")
    }
    for (index, measurement) in measurements.enumerated() {
      let (y, ratio) = (20 * Double(index) + 55, measurement.ratio)
      text("\(measurement.row.name) / \(measurement.baselineName)", x: 600, y: y, anchor: "end")
      let ink: Ink = measurement.isMet.map { $0 ? .met : .missed } ?? .first
      line([1, ratio.median].map { (scale.position(of: $0), y - 4) }, ink: ink, width: 10)
      line([ratio.lower, ratio.upper].map { (scale.position(of: $0), y - 4) })
      if case .ratio(let limit) = measurement.row.target {
        line([y - 11, y + 3].map { (scale.position(of: limit), $0) }, width: 2)
      }
      let isMissed = measurement.isMet == false
      text("\(decimal(ratio.median)) x\(isMissed ? " NO" : "")", x: 940, y: y, ink: ink)
    }
  }

  /// Draws a chart for each quantity, with a curve for each kind of storage.
  init(of points: [GrowthCurves.Point]) {
    let curves = Dictionary(grouping: points, by: \.storage).sorted { $0.key > $1.key }
    self.init(
      title: "The growth of a vault and of settings with their items",
      description: """
        From left to right, the number of items grows from 100 to 1,000,000. All scales are \
        logarithmic. The line of a vault is solid, and that of settings is dashed.
        """, size: (1040, 270))
    for (index, quantity) in GrowthCurves.quantities.enumerated() {
      let left = 205 * Double(index) + 65
      let across = Scale(of: points.map { Double($0.count) }, from: left, to: left + 130)
      let up = Scale(of: points.map { $0.numbers[index] }, from: 235, to: 60)
      text(quantity.name, x: left, y: 45)
      for (value, y) in up.ticks {
        line([(left, y), (left + 130, y)], ink: .grid)
        text(short(value, quantity.units), x: left - 5, y: y + 4, anchor: "end")
      }
      for (index, (value, x)) in across.ticks.enumerated() where index % 2 == 0 {
        text(short(value, ["", "k", "M"]), x: x, y: 253, anchor: "middle")
      }
      for (curve, ink) in zip(curves, [Ink.first, .second]) {
        line(
          curve.value.map {
            (across.position(of: Double($0.count)), up.position(of: $0.numbers[index]))
          }, ink: ink, width: 2)
      }
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
