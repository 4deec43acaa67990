// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "Locket", path: "..")
  ],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "KeyValueStorage", package: "Locket"),
        .product(name: "PasswordRules", package: "Locket"),
        .product(name: "SecretMigration", package: "Locket"),
        .product(name: "SecretStorage", package: "Locket"),
        .product(name: "SerializedAccess", package: "Locket"),
        .product(name: "Validation", package: "Locket"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
