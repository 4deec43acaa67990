/// The Swift type of an item's JSON, for converting items without the app's types.
///
/// A JSON string can be a `String` or `Data`, and a number an `Int`, a `Double` or a `Date`, each of
/// which `GenericPassword` stores differently.
public indirect enum AdapterValueType: Hashable, Sendable {
  /// The only type that the JSON can have; an item of ambiguous type is refused.
  ///
  /// Numbers are ambiguous, and strings that could be Base64, an ISO 8601 date, a `UUID` or, inside
  /// a container, a URL. An enumeration must be declared, because it looks like its raw value.
  case unambiguous
  /// The JSON type at every level: strings are `String`, integers `Int`, other numbers `Double`.
  case plain
  /// A `String`.
  case string
  /// A `Bool`.
  case boolean
  /// An integer of any width.
  case integer
  /// A `Double`.
  case double
  /// A `Float`.
  case float
  /// `Data` in the format of the migration's decoder; by default Base64.
  case data
  /// A `Date` in the format of the migration's decoder; by default seconds since 2001.
  case date
  /// A `URL`.
  case url
  /// An enumeration with raw values, a `UUID`, or another type encoded as one string or number.
  case rawValue
  /// An array or set of values of one type.
  case array(of: AdapterValueType)
  /// A structure or dictionary, with the types of the members that are not ``unambiguous``.
  case object([String: AdapterValueType])
}
