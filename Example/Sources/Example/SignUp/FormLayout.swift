import Validation

/// The content of a form.
struct FormContent {
  struct Field {
    var label: String
    var text: TextField
    /// Whether dots stand for the characters.
    var isHidden: Bool
    var checks: [ShownCheck]
    /// The suggested text.
    var offer: String?
  }

  var title: String
  var fields: [Field]
  /// The field with the cursor.
  var focus: Int
  /// From 0 to 1.
  var progress: Double
  /// The error to show.
  var notice: String?
  var hints: [String]
}

/// Lays a form out for a terminal of any size.
///
/// Where there is no room for everything, the field with the cursor and its checks stay.
struct FormLayout {
  let content: FormContent
  let size: ScreenSize
  let appearance: Appearance
  /// The step of the spinner.
  var step = 0

  /// The order in which lines are left out where there is no room: the greatest number first.
  private enum Rank: Int {
    case needed, otherField, progress, title, hints, blank
  }

  private struct Line {
    var line: StyledLine
    var rank: Rank
    var cursorColumn: Int?
  }

  private static let widestField = 40
  private static let narrowestField = 24

  /// The columns of the longest label.
  private var labelColumns: Int { content.fields.map(\.label.columns).max() ?? 0 }

  /// Whether a label is on a line of its own.
  private var isNarrow: Bool { fieldColumn + Self.narrowestField > size.columns }

  private var fieldColumn: Int { margin + 2 + labelColumns + 2 }

  private var margin: Int { size.columns < 40 ? 0 : 2 }

  func frame() -> Frame {
    var lines = lines()
    while lines.count > size.rows, let rank = lines.map(\.rank.rawValue).max(), rank > 0 {
      lines.remove(at: lines.lastIndex { $0.rank.rawValue == rank }!)
    }
    // A terminal of one or two rows shows the first of the needed lines.
    lines = Array(lines.prefix(size.rows))
    var frame = Frame(lines: lines.map(\.line))
    if let row = lines.firstIndex(where: { $0.cursorColumn != nil }) {
      frame.cursor = (row, min(lines[row].cursorColumn!, size.columns - 1))
    }
    return frame
  }

  private func lines() -> [Line] {
    var lines = [Line(line: indented(StyledLine(content.title, .bold)), rank: .title)]
    lines.append(Line(line: StyledLine(), rank: .blank))
    for (index, field) in content.fields.enumerated() {
      let isFocused = index == content.focus
      lines += fieldLines(field, isFocused: isFocused)
      if isFocused {
        lines += noticeLines + checkLines(of: field)
        if let offer = field.offer { lines += offerLines(offer) }
      }
      lines.append(Line(line: StyledLine(), rank: .blank))
    }
    lines.append(Line(line: indented(bar), rank: .progress))
    lines.append(Line(line: StyledLine(), rank: .blank))
    return lines + hintLines
  }

  private func indented(_ line: StyledLine) -> StyledLine {
    StyledLine(String(repeating: " ", count: margin)) + line
  }

  private func wrapped(_ text: String, _ style: TextStyle, _ rank: Rank) -> [Line] {
    text.wrapped(columns: size.columns - margin - 2).map {
      Line(line: indented(StyledLine("  ") + StyledLine($0, style)), rank: rank)
    }
  }

  private func fieldLines(_ field: FormContent.Field, isFocused: Bool) -> [Line] {
    let rank = isFocused ? Rank.needed : .otherField
    let label = indented(
      mark(of: field) + StyledLine(" ") + StyledLine(field.label, isFocused ? .bold : .plain))
    let start = isNarrow ? margin + 2 : fieldColumn
    let columns = max(1, min(Self.widestField, size.columns - start - 1))
    let (text, cursor) = field.shown(columns: columns, appearance: appearance)
    let box = text + String(repeating: " ", count: columns - text.columns)
    var lines: [Line] = []
    var before = StyledLine(String(repeating: " ", count: start))
    if isNarrow {
      // In a terminal of two rows, the second is for what is missing.
      if size.rows > 2 { lines.append(Line(line: label, rank: rank)) }
    } else {
      before = label + StyledLine(String(repeating: " ", count: start - label.columns))
    }
    lines.append(
      Line(
        line: before + StyledLine(box, .field), rank: rank,
        cursorColumn: isFocused ? start + cursor : nil))
    return lines
  }

  /// The sign of a field's state, in one column.
  private func mark(of field: FormContent.Field) -> StyledLine {
    let states = field.checks.map(\.state)
    if states.allSatisfy({ $0 == .satisfied }) { return sign(.satisfied) }
    if states.contains(.violated) { return sign(.violated) }
    if states.contains(.pending) { return sign(.pending) }
    return StyledLine(" ")
  }

  private func sign(_ state: ValidationCheck.State) -> StyledLine {
    let isUnicode = appearance.isUnicode
    return switch state {
    case .satisfied: StyledLine(isUnicode ? "✓" : "+", .good)
    case .incomplete: StyledLine(isUnicode ? "○" : "-")
    case .violated: StyledLine(isUnicode ? "✗" : "!", .bad)
    case .waiting: StyledLine(isUnicode ? "·" : ".", .dim)
    case .pending: StyledLine(appearance.spinner(step), .waiting)
    case .unavailable: StyledLine("?", .bad)
    }
  }

  /// Not broken between words, because a password may have blanks.
  private func offerLines(_ offer: String) -> [Line] {
    var rest = offer[...]
    var lines: [Line] = []
    while !rest.isEmpty {
      let part = String(rest).prefix(columns: max(2, size.columns - margin - 2))
      rest = rest.dropFirst(part.count)
      lines.append(Line(line: indented(StyledLine("  \(part)")), rank: .progress))
    }
    return lines
  }

  private var noticeLines: [Line] {
    content.notice.map { wrapped($0, .bad, .needed) } ?? []
  }

  /// The checks of the field with the cursor; where there is no room for all, the unsatisfied ones
  /// come first.
  private func checkLines(of field: FormContent.Field) -> [Line] {
    let indent = String(repeating: " ", count: isNarrow ? 0 : 2)
    let checks = field.checks.map { check in
      let texts = check.text.wrapped(columns: size.columns - margin - indent.count - 3)
      return texts.enumerated().map { number, text in
        let before = number == 0 ? sign(check.state) : StyledLine(" ")
        let style = check.state == .satisfied || check.state == .waiting ? TextStyle.dim : .plain
        return Line(
          line: indented(StyledLine(indent) + before + StyledLine(" ") + StyledLine(text, style)),
          rank: .needed)
      }
    }
    let room = size.rows - (isNarrow && size.rows > 2 ? 2 : 1) - noticeLines.count
    if checks.joined().count <= room { return Array(checks.joined()) }
    let urgent = field.checks.indices.filter { field.checks[$0].state != .satisfied }
    let rest = field.checks.indices.filter { field.checks[$0].state == .satisfied }
    var lines: [Line] = []
    for index in urgent + rest where lines.count + checks[index].count < room {
      lines += checks[index]
    }
    if room > 0 { lines.append(contentsOf: wrapped(appearance.ellipsis, .dim, .needed).prefix(1)) }
    return lines
  }

  private var bar: StyledLine {
    let percent = Int(content.progress * 100)
    let text = " \(percent) %"
    let columns = max(1, min(Self.widestField, size.columns - margin - text.count - 3))
    let filled = Int(content.progress * Double(columns))
    return StyledLine("[" + String(repeating: appearance.filled, count: filled), .good)
      + StyledLine(String(repeating: appearance.empty, count: columns - filled) + "]" + text)
  }

  private var hintLines: [Line] {
    var lines: [String] = []
    for hint in content.hints {
      if let last = lines.last, last.columns + 3 + hint.columns <= size.columns - margin {
        lines[lines.count - 1] = "\(last)   \(hint)"
      } else {
        lines.append(hint)
      }
    }
    return lines.map { Line(line: indented(StyledLine($0, .dim)), rank: .hints) }
  }
}

extension FormContent.Field {
  /// The part of the text that fits some columns, and the column of the cursor.
  func shown(columns: Int, appearance: Appearance) -> (text: String, cursor: Int) {
    // Only the number of hidden characters is used.
    let characters: [String] =
      isHidden
      ? Array(repeating: appearance.dot, count: text.text.count)
      : text.text.map { character in
        // A character without a column would not show.
        character.columns == 0 ? "\u{FFFD}" : String(character)
      }
    let cursor = min(text.cursor, characters.count)
    // The last column is for the cursor behind the text.
    var start = cursor
    var before = 0
    while start > 0, before + characters[start - 1].columns < columns {
      start -= 1
      before += characters[start].columns
    }
    var shown = ""
    for character in characters[start...] {
      if shown.columns + character.columns > columns { break }
      shown += character
    }
    return (shown, before)
  }
}
