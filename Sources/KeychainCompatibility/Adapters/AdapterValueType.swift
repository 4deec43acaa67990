/// What the JSON of an item stands for, for who does not have the app's own types.
///
/// JSON has fewer types than Swift: a text may be a `String` or `Data`, a number an `Int`, a `Double` or a
/// `Date`, and `GenericPassword` stores each of them in another way.
///
/// ```swift
/// migration.convert("token", asJSON: .string)
/// migration.convert("person", asJSON: .object(["born": .date, "photo": .data]))
/// ```
public indirect enum AdapterValueType: Hashable, Sendable {
  /// What the JSON says, if that is of one type only; the item is refused otherwise.
  ///
  /// A Boolean is. A text is unless it could be base64, a date in ISO 8601, a `UUID`, or inside of an array
  /// or object a URL. An array or object is if all in it are. A number never is.
  ///
  /// An enumeration with raw values is taken for what they are, so it has to be declared.
  case unambiguous
  /// What the JSON says, throughout: texts are `String`, numbers `Int` or, if they are not whole, `Double`.
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
  /// `Data`, as the migration's decoder reads it; by default in base64.
  case data
  /// A `Date`, as the migration's decoder reads it; by default in seconds since 2001.
  case date
  /// A `URL`.
  case url
  /// An enumeration with raw values, a `UUID`, or another type that codes itself as one text or number.
  case rawValue
  /// An array or set of values of one type.
  case array(of: AdapterValueType)
  /// A structure or dictionary: the types of the members that are not ``unambiguous``.
  case object([String: AdapterValueType])
}
