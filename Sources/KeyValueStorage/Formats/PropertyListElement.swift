import FoundationEssentials

/// The elements of a property list in XML.
enum PropertyListElement: String {
  case plist
  case dict
  case key
  case array
  case string
  case integer
  case real
  case date
  case data
  case `true`
  case `false`
}

extension PropertyListElement {
  /// The value that an element stands for by its text; nil if the text is not of the element's form.
  func value(_ text: String) -> ValueTree? {
    let start = text.utf8.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    let trimmed = end.map { text[start.startIndex...$0] } ?? ""
    switch self {
    case .true: return trimmed.isEmpty ? .bool(true) : nil
    case .false: return trimmed.isEmpty ? .bool(false) : nil
    case .integer: return PropertyListNumber.integer(trimmed).map(ValueTree.number)
    case .real: return PropertyListNumber.real(trimmed).map(ValueTree.number)
    case .date: return PropertyListDate.date(trimmed).map(ValueTree.date)
    case .data:
      return Data(strictBase64: text.utf8.filter { !$0.isWhitespace }).map(ValueTree.data)
    case .string: return PropertyListText.tree(text)
    case .plist, .dict, .key, .array: return nil
    }
  }

  /// What there is to say of an element whose text is not of its form.
  var reason: String {
    switch self {
    case .integer: "this is not an integer"
    case .real: "this is not a number"
    case .date: "this is not a date such as 2026-11-21T15:46:38Z"
    case .data: "this is not base64"
    case .true, .false: "<\(rawValue)> holds something"
    case .plist, .dict, .key, .array, .string: "<\(rawValue)> is not a value"
    }
  }
}
