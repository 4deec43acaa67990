/// How deep something is inside a value.
struct Nesting: Sendable {
  /// How many arrays and dictionaries are around it.
  private var containers = 0

  /// How many values are around it, within the innermost of those, that are encoded as just this one:
  /// optionals and types with a single value.
  private var layers = 0

  /// Whether an array or a dictionary may be here, given that the whole value is in one, the file's.
  var allowsContainer: Bool { containers + 1 < FormatLimits.depth }

  /// More layers than any type has that does not go round in a circle.
  var allowsValue: Bool { layers <= 64 }

  var insideContainer: Nesting { Nesting(containers: containers + 1) }

  var insideLayer: Nesting { Nesting(containers: containers, layers: layers + 1) }
}
