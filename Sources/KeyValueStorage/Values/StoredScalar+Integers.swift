extension StoredScalar where Self: FixedWidthInteger {
  var tree: ValueTree { .number(.integer(Int128(self))) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    guard case .number(let number) = tree else { throw tree.isNot(.number) }
    guard let value = number.integer(Self.self) else {
      throw .outOfRange(type: String(describing: Self.self))
    }
    self = value
  }
}

extension Int: StoredScalar {}
extension Int8: StoredScalar {}
extension Int16: StoredScalar {}
extension Int32: StoredScalar {}
extension Int64: StoredScalar {}
extension Int128: StoredScalar {}
extension UInt: StoredScalar {}
extension UInt8: StoredScalar {}
extension UInt16: StoredScalar {}
extension UInt32: StoredScalar {}
extension UInt64: StoredScalar {}

extension UInt128: StoredScalar {
  /// Text for what the tree has no integer for.
  var tree: ValueTree {
    Int128(exactly: self).map { .number(.integer($0)) } ?? .string(String(self))
  }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    switch tree {
    case .number(let number):
      guard let value = number.integer(UInt128.self) else { throw .outOfRange(type: "UInt128") }
      self = value
    case .string(let text):
      guard let value = UInt128(text), value.tree == tree else { throw tree.isNot(.number) }
      self = value
    default: throw tree.isNot(.number)
    }
  }
}
