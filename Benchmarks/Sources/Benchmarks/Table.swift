/// A table for people.
struct Table {
  private let header: [String]
  private let cells: [[String]]

  init(header: [String], cells: [[String]]) {
    (self.header, self.cells) = (header, cells)
  }

  init(_ measurements: [Measurement]) {
    header = ["row", "Locket (ns)", "baseline", "(ns)", "ratio", "quartiles", "target", "met"]
    cells = measurements.map { measurement in
      let isWorst = if case .worst = measurement.row.target { true } else { false }
      let isDifference = if case .difference = measurement.row.target { true } else { false }
      let compared = isDifference ? measurement.difference : measurement.ratio
      let target =
        switch measurement.row.target {
        case .ratio(let limit): "<= \(decimal(limit)) x"
        case .difference(let limit): "<= +\(decimal(limit)) ns"
        case .worst(let ratio, let slack):
          "<= \(decimal(ratio)) x + \(decimal(slack)) ns"
        case nil: "-"
        }
      let unit = isDifference ? " ns" : " x"
      let isMissing = compared.median.isNaN
      return [
        measurement.row.name,
        decimal(isWorst ? measurement.subject.highest : measurement.subject.median),
        measurement.baselineName,
        decimal(isWorst ? measurement.baseline.highest : measurement.baseline.median),
        isMissing ? "-" : (isDifference ? "+" : "") + decimal(compared.median) + unit,
        isMissing ? "-" : "\(decimal(compared.lower)) ... \(decimal(compared.upper))",
        target,
        measurement.isMet.map { $0 ? "yes" : "NO" } ?? "-",
      ]
    }
  }

  var text: String {
    let rows = [header] + cells
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  var markdown: String {
    let rule = header.map { _ in "---" }
    return ([header, rule] + cells).map { row in
      "| " + row.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}

/// Returns the number with two decimals, none from a hundred on, and four below a tenth.
func decimal(_ number: Double) -> String {
  if number.isNaN { return "-" }
  if abs(number) >= 100 { return "\(Int(number.rounded()))" }
  let places = abs(number) < 0.1 ? 4 : 2
  let scale = places == 4 ? 10_000 : 100
  let scaled = Int((abs(number) * Double(scale)).rounded())
  let fraction = String(scaled % scale)
  let zeros = String(repeating: "0", count: places - fraction.count)
  let sign = number < 0 && scaled > 0 ? "-" : ""
  return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
}
