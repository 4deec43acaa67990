import KeychainCompatibility
import SecretStorage

extension Job {
  /// Converts texts stored by a 0.x adapter.
  func convertItems(of vault: SecretVault) throws {
    var migration = AdapterMigration(serviceIdentifier: try parameter(0), in: vault)
    for key in parameters.dropFirst() { migration.convert(key, as: String.self) }
    try migration.run(reporting: Self.journalProgress)
  }
}
