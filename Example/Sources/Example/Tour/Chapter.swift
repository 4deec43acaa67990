/// A part of the tour.
struct Chapter: Sendable {
  let title: String
  let tell: @Sendable (Stage) throws -> Void

  static let all: [Chapter] = [
    .serialized, .settings, .password, .refreshing, .matching, .processes, .locking, .copying,
    .damage, .rollback,
  ]
}
