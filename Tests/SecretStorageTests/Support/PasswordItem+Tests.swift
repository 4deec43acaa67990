import SecretStorage

// Properties that tests of passwords share.
extension PasswordItem {
  /// Makes a property for the item of the service `service`.
  convenience init(
    _ policy: RefreshPolicy = .onAccess, defaultValue: Value? = nil,
    accessOption: Accessibility = .whenUnlocked, accessFlags: AccessFlags = [],
    in store: any SecretStore
  ) {
    self.init(
      .generic(service: "service"), refreshPolicy: policy, defaultValue: defaultValue,
      accessOption: accessOption, accessFlags: accessFlags, in: store)
  }
}

extension RefreshPolicy { static let all = [onAccess, onChange, manual] }
