import Foundation
import KeyValueStorage
import ValueFormats

// The values that Foundation reads in the same file, as a check of the import.
extension UserDefaultsFile {
  /// The keys and values as `UserDefaults` reads them; nil if it cannot read the file.
  func valuesOfFoundation() throws(KeyValueStoreError) -> [(key: StoredKey, tree: ValueTree)]? {
    try checkRemovable()
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      try ForeignDocument.requireDecodable(propertyList: Array(data))
      // No format is requested, so nothing is written through the pointer.
      let list = unsafe try PropertyListSerialization.propertyList(from: data, format: nil)
      guard case .dictionary(let values)? = ValueTree(foundation: list) else { return nil }
      return values.map { key, tree in
        let isDecoded = decodedKeys.contains(key.string)
        return (key, isDecoded ? Self.decoded(tree) ?? tree : tree)
      }
    } catch {
      return nil
    }
  }
}

extension ValueTree {
  fileprivate init?(foundation object: Any) {
    switch object {
    case let value as String: self = .string(value)
    case let value as NSNumber: self.init(value)
    case let value as Date: self = .date(value)
    case let value as Data: self = .data(value)
    case let values as [Any]:
      let elements = values.compactMap(ValueTree.init(foundation:))
      guard elements.count == values.count else { return nil }
      self = .array(elements)
    case let values as [String: Any]:
      var members: [StoredKey: ValueTree] = [:]
      for (key, value) in values { members[StoredKey(key)] = ValueTree(foundation: value) }
      guard members.count == values.count else { return nil }
      self = .dictionary(members)
    default: return nil
    }
  }

  private init?(_ number: NSNumber) {
    // The type is a constant string of one letter; only Booleans have the one of a `char`.
    switch UInt8(bitPattern: unsafe number.objCType.pointee) {
    case UInt8(ascii: "c"): self = .bool(number.boolValue)
    case UInt8(ascii: "d"): self = .number(.real(number.doubleValue))
    case UInt8(ascii: "f"): self = .number(.float(number.floatValue))
    default:
      guard let integer = Int128(number.stringValue) else { return nil }
      self = .number(.integer(integer))
    }
  }
}
