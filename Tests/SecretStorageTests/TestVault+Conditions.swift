import Testing

@testable import SecretStorage

extension TestVault {
  /// What an object can be asked.
  enum Access: CaseIterable {
    case revision, items, secret, add, remove, compact, verify

    func perform(on object: SecretVault) throws(SecretStoreError) {
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

  /// Nothing that an object can be asked may succeed.
  func expectEach(
    _ object: SecretVault, sourceLocation: SourceLocation = #_sourceLocation,
    _ isExpected: (SecretStoreError) -> Bool
  ) {
    for access in Access.allCases {
      do throws(SecretStoreError) {
        try access.perform(on: object)
        Issue.record("\(access) succeeds.", sourceLocation: sourceLocation)
      } catch {
        #expect(isExpected(error), "\(access): \(error)", sourceLocation: sourceLocation)
        #expect(error.description.count > 20, sourceLocation: sourceLocation)
      }
    }
  }

  func expectInsecure(
    _ path: String, saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectEach(open(), sourceLocation: sourceLocation) { error in
      guard case .insecure(path, let reason) = error else { return false }
      return reason.contains(words)
    }
  }
}
