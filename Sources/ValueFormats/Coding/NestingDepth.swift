/// The depth of nested containers and values around a value.
struct NestingDepth: Sendable {
  /// The number of enclosing arrays and dictionaries.
  private var containers = 0

  /// The number of enclosing values in the innermost container that are encoded as a single value,
  /// such as optionals.
  private var layers = 0

  /// Whether an array or a dictionary is allowed here; the root of the file takes one level.
  var allowsContainer: Bool { containers + 1 < FormatLimits.depth }

  /// Whether a value is allowed here; only a type that contains itself exceeds the limit.
  var allowsValue: Bool { layers <= 64 }

  var insideContainer: NestingDepth { NestingDepth(containers: containers + 1) }

  var insideLayer: NestingDepth { NestingDepth(containers: containers, layers: layers + 1) }
}
