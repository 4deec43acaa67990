import SerializedAccess

extension ValidatedField: CustomStringConvertible, CustomReflectable {
  /// How the value stands, without the value, which may be a password.
  public var description: String { "ValidatedField(\(state.access { $0.report.state }))" }

  /// A mirror of the report, without the value, which may be a password.
  public var customMirror: Mirror {
    Mirror(self, children: ["report": state.access { $0.report }], displayStyle: .class)
  }
}
