// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Locket",
  products: [
    .library(name: "SerializedAccess", targets: ["SerializedAccess"]),
    .library(name: "KeyValueStorage", targets: ["KeyValueStorage"]),
    .library(name: "SecretStorage", targets: ["SecretStorage"]),
    .library(name: "SecretStorageTesting", targets: ["SecretStorageTesting"]),
    .library(name: "SecretMigration", targets: ["SecretMigration"]),
    .library(name: "PasswordRules", targets: ["PasswordRules"]),
    .library(name: "Validation", targets: ["Validation"]),
    .library(name: "KeychainCompatibility", targets: ["KeychainCompatibility"]),
  ],
  targets: [
    .target(name: "Concurrency"),
    .target(name: "SerializedAccess", dependencies: ["Concurrency"]),
    .target(name: "StorageInternals", dependencies: ["Concurrency"]),
    .target(name: "KeyValueStorage", dependencies: ["Concurrency", "StorageInternals"]),
    .target(name: "SecretStorage", dependencies: ["Concurrency", "StorageInternals"]),
    .target(
      name: "SecretStorageTesting", dependencies: ["SecretStorage", "StorageInternals"]),
    .target(name: "SecretMigration", dependencies: ["SecretStorage", "StorageInternals"]),
    .target(name: "PasswordRules"),
    .target(name: "Validation", dependencies: ["PasswordRules", "SerializedAccess"]),
    .target(
      name: "KeychainCompatibility",
      dependencies: [
        "Concurrency", "SerializedAccess", "KeyValueStorage", "SecretStorage", "StorageInternals",
      ]),

    .testTarget(
      name: "SerializedAccessTests", dependencies: ["SerializedAccess", "TestSupport"]),
    .testTarget(
      name: "StorageInternalsTests", dependencies: ["StorageInternals", "TestSupport"]),
    .testTarget(
      name: "KeyValueStorageTests",
      dependencies: ["KeyValueStorage", "StorageInternals", "SettingsProcess", "TestSupport"]),
    .testTarget(
      name: "SecretStorageTests",
      dependencies: [
        "SecretStorage", "SecretStorageTesting", "StorageInternals", "TestSupport", "VaultProcess",
      ]),
    .testTarget(
      name: "SecretStorageTestingTests",
      dependencies: ["SecretStorage", "SecretStorageTesting", "TestSupport"]),
    .testTarget(
      name: "SecretMigrationTests",
      dependencies: [
        "SecretMigration", "SecretStorage", "StorageInternals", "TestSupport", "VaultProcess",
      ]),
    .testTarget(name: "PasswordRulesTests", dependencies: ["PasswordRules", "TestSupport"]),
    .testTarget(
      name: "ValidationTests",
      dependencies: ["Validation", "PasswordRules", "StorageInternals", "TestSupport"]),
    .testTarget(
      name: "KeychainCompatibilityTests",
      dependencies: [
        "KeychainCompatibility", "SerializedAccess", "KeyValueStorage", "SecretStorage",
        "StorageInternals", "TestSupport", "VaultProcess",
      ]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "SerializedAccess", "KeyValueStorage", "SecretStorage", "SecretStorageTesting",
        "SecretMigration", "PasswordRules", "Validation", "KeychainCompatibility", "TestSupport",
      ],
      exclude: ["VaultReader"]),
    // What the tests of several targets use.
    .target(
      name: "TestSupport",
      dependencies: ["KeyValueStorage", "SecretStorage", "StorageInternals"],
      path: "Tests/TestSupport"),
    // The child processes of the tests that need a second one.
    .executableTarget(
      name: "SettingsProcess", dependencies: ["KeyValueStorage"], path: "Tests/SettingsProcess"),
    .executableTarget(
      name: "VaultProcess",
      dependencies: [
        "KeychainCompatibility", "KeyValueStorage", "SecretMigration", "SecretStorage",
        "StorageInternals",
      ],
      path: "Tests/VaultProcess"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  var settings = target.swiftSettings ?? []

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
  settings.append(.enableUpcomingFeature("ExistentialAny"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
  settings.append(.enableUpcomingFeature("InternalImportsByDefault"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
  settings.append(.enableUpcomingFeature("MemberImportVisibility"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
  settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
  settings.append(.enableUpcomingFeature("InferIsolatedConformances"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
  settings.append(.enableUpcomingFeature("ImmutableWeakCaptures"))

  // Only where Locket itself is worked on: a dependent app must inherit none of this.
  if Context.environment["STRICT"] != nil {
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0443-warning-control-flags.md
    settings.append(.treatAllWarnings(as: .error))
    settings.append(.treatWarning("ExplicitSendable", as: .error))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    settings.append(.strictMemorySafety())
  }

  target.swiftSettings = settings
}
