public import FoundationEssentials

/// One layer of a ``LayeredSecretStore``: a store with a name.
public struct SecretLayer: Sendable {
  /// The name of the layer, by which writes find it.
  public let name: String
  /// The store of the layer.
  public let store: any SecretStore
  /// Whether the layer is passed over while it is locked or unavailable.
  public private(set) var isOptional = false

  /// Creates a layer.
  ///
  /// - Parameters:
  ///   - store: The store of the layer.
  ///   - name: The name of the layer, which no other layer of the store may have.
  public init(_ store: any SecretStore, named name: String) {
    self.store = store
    self.name = name
  }

  /// The layer `credentials` of the systemd credentials of this service.
  public static var credentials: SecretLayer { SecretLayer(.credentials, named: "credentials") }

  /// Returns a layer of the files in a directory, named after its path.
  public static func directory(
    _ url: URL, naming: ItemNaming = .serviceAndAccount
  ) -> SecretLayer {
    SecretLayer(DirectorySecretStore(directory: url, naming: naming), named: url.path)
  }

  /// Returns the layer `environment` of the variables whose names begin with a prefix, which it
  /// reads now, as ``EnvironmentSecretStore/init(prefix:naming:removingVariables:)`` does.
  public static func environment(
    prefix: String, naming: ItemNaming = .serviceAndAccount, removingVariables: Bool = false
  ) -> SecretLayer {
    SecretLayer(
      EnvironmentSecretStore(
        prefix: prefix, naming: naming, removingVariables: removingVariables),
      named: "environment")
  }

  /// The layer `vault` of this app's vault.
  public static var vault: SecretLayer { SecretLayer(.vault, named: "vault") }

  /// This layer, passed over while it is locked or unavailable.
  ///
  /// An item of it is then absent, or that of a lower layer. Damage, and anything else that is
  /// wrong with the layer, is still an error.
  public var optional: SecretLayer {
    var layer = self
    layer.isOptional = true
    return layer
  }

  /// Returns the result of a call of the store, or nil if the layer is passed over.
  func access<Result>(
    _ body: (any SecretStore) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result? {
    do throws(SecretStoreError) {
      return try body(store)
    } catch {
      if isOptional, error.isPassing { return nil }
      throw error
    }
  }
}

extension SecretStoreError {
  /// Whether the store is locked or unavailable, and intact as far as is known.
  fileprivate var isPassing: Bool {
    switch self {
    case .locked, .unavailable, .missingLibrary, .busy, .system: true
    default: false
    }
  }
}
