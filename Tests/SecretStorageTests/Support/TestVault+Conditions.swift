import Testing

@testable import SecretStorage

// Expectations of every access to a vault in a condition.
extension TestVault {
  enum Access: CaseIterable {
    case revision, items, secret, add, remove, compact, verify

    func perform(on object: SecretVault) throws {
      switch self {
      case .revision: _ = try object.revision()
      case .items: _ = try object.items(matching: .all)
      case .secret: _ = try object.secret(of: .random())
      case .add: try object.add("new", account: "new")
      case .remove: try object.remove(.random(), expecting: 1)
      case .compact: try object.compact()
      case .verify: _ = try object.verify()
      }
    }
  }

  func expectEach(
    _ object: SecretVault, sourceLocation: SourceLocation = #_sourceLocation,
    _ isExpected: (SecretStoreError) -> Bool
  ) {
    for access in Access.allCases {
      do {
        try access.perform(on: object)
        Issue.record("\(access) succeeds.", sourceLocation: sourceLocation)
      } catch {
        let isRight = (error as? SecretStoreError).map(isExpected) == true
        #expect(isRight, "\(access): \(error)", sourceLocation: sourceLocation)
        #expect("\(error)".count > 20, sourceLocation: sourceLocation)
      }
    }
  }

  /// Expects every access to be refused with an error of a kind that names the vault.
  func expectEach(
    _ object: SecretVault, _ kind: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectEach(object, sourceLocation: sourceLocation) { $0.isOf(kind, saying: [path]) }
  }

  func expectInsecure(
    _ path: String, saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectEach(open(), sourceLocation: sourceLocation) { error in
      if case .insecure(path, let reason) = error { reason.contains(words) } else { false }
    }
  }
}
