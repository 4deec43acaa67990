// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Locket",
  products: [
    .library(name: "SerializedAccess", targets: ["SerializedAccess"]),
    .library(name: "KeyValueStorage", targets: ["KeyValueStorage"]),
    .library(name: "SecretStorage", targets: ["SecretStorage"]),
    .library(name: "EtcdStorage", targets: ["EtcdStorage"]),
    .library(name: "StorageTesting", targets: ["StorageTesting"]),
    .library(name: "SecretMigration", targets: ["SecretMigration"]),
    .library(name: "SecretService", targets: ["SecretService"]),
    .library(name: "KernelKeyring", targets: ["KernelKeyring"]),
    .library(name: "PasswordRules", targets: ["PasswordRules"]),
    .library(name: "Validation", targets: ["Validation"]),
    .library(name: "KeychainCompatibility", targets: ["KeychainCompatibility"]),
    .executable(name: "locket", targets: ["locket"]),
  ],
  targets: [
    .target(name: "CLibrary"),
    .target(name: "Concurrency", dependencies: ["CLibrary"]),
    .target(name: "SerializedAccess", dependencies: ["CLibrary", "Concurrency"]),
    .target(name: "StorageInternals", dependencies: ["CLibrary", "Concurrency"]),
    .target(name: "ValueFormats", dependencies: ["CLibrary", "StorageInternals"]),
    .target(
      name: "KeyValueStorage",
      dependencies: ["CLibrary", "Concurrency", "StorageInternals", "ValueFormats"]),
    .target(name: "LibCrypto", dependencies: ["Concurrency", "StorageInternals"]),
    .target(
      name: "SecretStorage",
      dependencies: ["CLibrary", "Concurrency", "LibCrypto", "StorageInternals", "ValueFormats"]),
    // Calls of variadic C functions, which Swift cannot make.
    .target(name: "CVariadic"),
    .target(
      name: "EtcdStorage",
      dependencies: [
        "CLibrary", "CVariadic", "Concurrency", "KeyValueStorage", "LibCrypto", "SecretStorage",
        "StorageInternals",
      ]),
    .target(
      name: "StorageTesting",
      dependencies: ["Concurrency", "KeyValueStorage", "SecretStorage", "StorageInternals"]),
    .target(
      name: "SecretMigration",
      dependencies: [
        "CLibrary", "Concurrency", "LibCrypto", "SecretStorage", "StorageInternals", "ValueFormats",
      ]),
    .target(
      name: "SecretService",
      dependencies: [
        "CLibrary", "Concurrency", "LibCrypto", "SecretStorage", "StorageInternals", "ValueFormats",
      ]),
    .target(
      name: "KernelKeyring",
      dependencies: ["CLibrary", "CVariadic", "SecretStorage", "StorageInternals"]),
    .target(name: "PasswordRules"),
    .target(
      name: "Validation",
      dependencies: ["CLibrary", "Concurrency", "PasswordRules", "SerializedAccess"]),
    .target(
      name: "KeychainCompatibility",
      dependencies: [
        "CLibrary", "Concurrency", "SerializedAccess", "KeyValueStorage", "SecretStorage",
        "StorageInternals",
        "ValueFormats",
      ]),
    // The command line, which no app that depends on the package builds.
    .executableTarget(
      name: "locket",
      dependencies: [
        "CLibrary", "CVariadic", "EtcdStorage", "SerializedAccess", "KeyValueStorage",
        "SecretStorage", "SecretMigration", "SecretService", "PasswordRules",
        "KeychainCompatibility",
        "StorageInternals", "ValueFormats",
      ]),

    .testTarget(
      name: "SerializedAccessTests", dependencies: ["CLibrary", "SerializedAccess", "TestSupport"]),
    .testTarget(
      name: "ConcurrencyTests", dependencies: ["CLibrary", "Concurrency", "TestSupport"]),
    .testTarget(
      name: "StorageInternalsTests",
      dependencies: ["CLibrary", "Concurrency", "StorageInternals", "TestSupport"]),
    .testTarget(
      name: "ValueFormatsTests",
      dependencies: ["ValueFormats", "KeyValueStorage", "TestSupport"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyValueStorageTests",
      dependencies: [
        "CLibrary", "Concurrency", "KeyValueStorage", "StorageInternals", "StorageTesting",
        "SettingsProcess", "TestSupport",
        "ValueFormats",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "SecretStorageTests",
      dependencies: [
        "CLibrary", "CVariadic", "Concurrency", "LibCrypto", "SecretStorage", "StorageTesting",
        "CipherSupport", "StorageInternals", "TestSupport", "VaultProcess",
      ]),
    .testTarget(
      name: "EtcdStorageTests",
      dependencies: [
        "CLibrary", "Concurrency", "EtcdStorage", "EtcdWorker", "KeyValueStorage", "SecretStorage",
        "StorageTesting", "TestSupport",
      ]),
    .testTarget(
      name: "StorageTestingTests",
      dependencies: [
        "Concurrency", "KeyValueStorage", "SecretStorage", "StorageTesting", "TestSupport",
      ]),
    .testTarget(
      name: "SecretMigrationTests",
      dependencies: [
        "CLibrary", "Concurrency", "LibCrypto", "SecretMigration", "SecretStorage",
        "StorageInternals", "TestSupport", "VaultProcess",
      ]),
    .testTarget(
      name: "SecretServiceTests",
      dependencies: [
        "CLibrary", "Concurrency", "SecretService", "SecretServiceProcess", "SecretStorage",
        "StorageInternals", "StorageTesting", "TestSupport",
      ]),
    .testTarget(
      name: "KernelKeyringTests", dependencies: ["KernelKeyring", "SecretStorage", "TestSupport"]),
    .testTarget(name: "PasswordRulesTests", dependencies: ["PasswordRules", "TestSupport"]),
    .testTarget(
      name: "ValidationTests",
      dependencies: [
        "Concurrency", "Validation", "PasswordRules", "StorageInternals", "TestSupport",
      ]),
    .testTarget(
      name: "KeychainCompatibilityTests",
      dependencies: [
        "CLibrary", "Concurrency", "KeychainCompatibility", "SerializedAccess", "KeyValueStorage",
        "SecretStorage", "StorageInternals", "TestSupport", "VaultProcess",
      ]),
    .testTarget(
      name: "LocketCommandTests",
      dependencies: [
        "CLibrary", "locket", "KeyValueStorage", "PasswordRules", "SecretService", "SecretStorage",
        "StorageInternals", "TestSupport",
      ],
      path: "Tests/locketTests"),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "CLibrary", "Concurrency", "EtcdStorage", "SerializedAccess", "KeyValueStorage",
        "SecretStorage", "StorageTesting", "SecretMigration", "SecretService", "KernelKeyring",
        "PasswordRules", "Validation",
        "KeychainCompatibility", "TestSupport", "TopLevelShapes", "ValueFormats",
      ],
      exclude: ["Support/VaultReader"]),
    // Code whose shape depends on the settings of its module, or on the name of its file.
    .testTarget(
      name: "MainActorShapesTests", dependencies: ["KeyValueStorage", "TestSupport"],
      path: "Tests/Shapes/MainActor", swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "TopLevelShapes", dependencies: ["KeyValueStorage"], path: "Tests/Shapes/TopLevel"),
    // What the tests of several targets use.
    .target(
      name: "TestSupport",
      dependencies: [
        "CLibrary", "Concurrency", "KeyValueStorage", "SecretService", "SecretStorage",
        "StorageInternals",
      ],
      path: "Tests/Support"),
    // The child processes of the tests that need a second one.
    .executableTarget(
      name: "SettingsProcess", dependencies: ["CLibrary", "Concurrency", "KeyValueStorage"],
      path: "Tests/Processes/SettingsProcess"),
    .executableTarget(
      name: "EtcdWorker",
      dependencies: [
        "CLibrary", "Concurrency", "EtcdStorage", "KeyValueStorage", "SecretStorage",
      ],
      path: "Tests/Processes/EtcdWorker"),
    .executableTarget(
      name: "VaultProcess",
      dependencies: [
        "CipherSupport", "CLibrary", "Concurrency", "KeychainCompatibility", "KeyValueStorage",
        "SecretMigration", "SecretStorage", "StorageInternals",
      ],
      path: "Tests/Processes/VaultProcess"),
    .executableTarget(
      name: "SecretServiceProcess", dependencies: ["CLibrary", "SecretService", "SecretStorage"],
      path: "Tests/Processes/SecretServiceProcess"),
    // Apart from TestSupport, whose import of Testing the child processes need not load.
    .target(
      name: "CipherSupport", dependencies: ["SecretStorage"], path: "Tests/CipherSupport"),
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

    // Optimizing the tests would take longer than running them. What they test is optimized.
    if target.type == .test {
      settings.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
  }

  target.swiftSettings = settings
}
