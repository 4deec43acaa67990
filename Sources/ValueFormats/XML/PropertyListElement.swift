import FoundationEssentials

/// An element of an XML property list.
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
  /// Returns the value of an element that contains a text; nil if the text is not valid.
  func value(_ text: String, _ textForm: TextForm) -> ValueTree? {
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
    case .string: return textForm.treeInPropertyList(text)
    case .plist, .dict, .key, .array: return nil
    }
  }

  /// The error message for an element whose text is not valid.
  var reason: String {
    switch self {
    case .integer: "invalid integer"
    case .real: "invalid number"
    case .date: "invalid date; expected a form such as 2026-11-21T15:46:38Z"
    case .data: "invalid base64"
    case .true, .false: "<\(rawValue)> must be empty"
    case .plist, .dict, .key, .array, .string: "<\(rawValue)> is not a value"
    }
  }
}
