extension ItemIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The class and the names of the parts that are there, without what they say: a description may
  /// end in a log.
  public var description: String {
    let parts: [(String, Bool)] = [
      ("service", service != nil), ("server", server != nil), ("account", account != nil),
      ("securityDomain", securityDomain != nil), ("protocol", `protocol` != nil),
      ("authenticationType", authenticationType != nil), ("port", port != nil),
      ("path", path != nil),
    ]
    let present = parts.filter(\.1).map(\.0).joined(separator: ", ")
    return "\(itemClass)(\(present))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
