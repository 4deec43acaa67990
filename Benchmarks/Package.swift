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
        .product(name: "EtcdStorage", package: "Locket"),
        .product(name: "KeyValueStorage", package: "Locket"),
        .product(name: "PasswordRules", package: "Locket"),
        .product(name: "SecretService", package: "Locket"),
        .product(name: "SecretStorage", package: "Locket"),
        .product(name: "SerializedAccess", package: "Locket"),
        .product(name: "Validation", package: "Locket"),
      ]),
    // A process that is measured from its start to its end.
    .executableTarget(
      name: "KeyringGet",
      dependencies: [
        .product(name: "SecretService", package: "Locket"),
        .product(name: "SecretStorage", package: "Locket"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
