extension ItemAttributes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The accessibility alone: what an app notes about a secret may not be for a log either.
  public var description: String { "ItemAttributes(\(accessControl.accessibility))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
