/// A part of the tour.
struct Chapter: Sendable {
  let title: String
  let tell: @Sendable (Stage) async throws -> Void

  static let all: [Chapter] = [
    .serialized, .settings, .password, .refreshing, .matching, .processes, .locking, .copying,
    .protecting, .slots, .rotating, .moving, .damage, .rollback, .rules, .validation,
  ]
}
