import KeychainCompatibility

func migrate(isDryRun: Bool) throws {
  var own = AdapterMigration(serviceIdentifier: "com.example.diary")
  own.convert("token", as: String.self)
  own.convert("author", as: Author.self)

  var ofDefaultDomain = AdapterMigration()
  ofDefaultDomain.convert("pages", as: Int.self)

  for migration in [own, ofDefaultDomain] {
    for entry in try migration.run(isDryRun: isDryRun).entries {
      print(entry.identity.account ?? "", entry.outcome)
    }
  }
}
