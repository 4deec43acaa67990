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

  /// Expects an error of a kind from each access, whose text contains some words.
  func expectEach(
    _ object: SecretVault, _ kind: String, saying words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectEach(object, sourceLocation: sourceLocation) { error in
      error.kind == kind && words.allSatisfy { error.text.contains($0) }
    }
  }

  func expectInsecure(
    _ path: String, saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectEach(open(), "insecure", saying: "\(path) ", words, sourceLocation: sourceLocation)
  }
}
