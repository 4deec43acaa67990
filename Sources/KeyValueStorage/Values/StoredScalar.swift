/// A type of a single value that every container has a method of its own for.
protocol StoredScalar: Codable {
  var tree: ValueTree { get }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem)
}

extension Bool: StoredScalar {
  var tree: ValueTree { .bool(self) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    guard case .bool(let value) = tree else { throw tree.isNot(.boolean) }
    self = value
  }
}

extension String: StoredScalar {
  var tree: ValueTree { .string(self) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    guard case .string(let value) = tree else { throw tree.isNot(.text) }
    self = value
  }
}

extension Double: StoredScalar {
  var tree: ValueTree { .number(.real(self)) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    switch tree {
    case .number(let number):
      guard let value = number.double else { throw .outOfRange(type: "Double") }
      self = value
    case .string(let text):
      guard let value: Double = text.nonFinite() else { throw tree.isNot(.number) }
      self = value
    default: throw tree.isNot(.number)
    }
  }
}

extension Float: StoredScalar {
  var tree: ValueTree { .number(.float(self)) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    switch tree {
    case .number(let number):
      guard let value = number.float else { throw .outOfRange(type: "Float") }
      self = value
    case .string(let text):
      guard let value: Float = text.nonFinite() else { throw tree.isNot(.number) }
      self = value
    default: throw tree.isNot(.number)
    }
  }
}

extension ValueTree {
  func isNot(_ expected: TreeCodingError.Kind) -> TreeCodingError.Problem {
    .wrongType(expected: expected, found: TreeCodingError.Kind(of: self))
  }
}
