/// When a password property reads and writes its item.
@available(*, deprecated, message: "Use `RefreshPolicy`.")
public enum KeychainDataRefreshPolicy: Sendable {
  /// Only when the app says so.
  case manual
  /// At each get and set.
  case onAccess
}
