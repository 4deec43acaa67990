import KeychainCompatibility

/// Returns the name of the error that a call throws, with its value.
@available(*, deprecated)
func thrownError<Result>(_ body: () throws -> Result) -> String {
  do {
    _ = try body()
    return "none"
  } catch {
    return (error as? KeychainError).map(name) ?? "\(error)"
  }
}

/// Returns the name of a case; the switch has every case, as an app's may.
@available(*, deprecated)
func name(of error: KeychainError) -> String {
  switch error {
  case .unexpectedFormat: "unexpectedFormat"
  case .generalEncodingFailure: "generalEncodingFailure"
  case .generalDecodingFailure: "generalDecodingFailure"
  case .loadSucceededWithoutData: "loadSucceededWithoutData"
  case .accessControllErrorUnknown: "accessControllErrorUnknown"
  case .accessControllError(let status): "accessControllError(status: \(status))"
  case .osSecure(let status): "osSecure(status: \(status))"
  case .osSecureDuplicitItem: "osSecureDuplicitItem"
  case .osSecureNoSuchItem: "osSecureNoSuchItem"
  case .osSecureDiskFull: "osSecureDiskFull"
  case .osSucureInvalidParameter: "osSucureInvalidParameter"
  case .osSecureBadRequest: "osSecureBadRequest"
  case .osSecureUserCancelledAuthentication: "osSecureUserCancelledAuthentication"
  case .osSecureMissingEtitlementForThisFeature: "osSecureMissingEtitlementForThisFeature"
  case .osSecureInvalidValue: "osSecureInvalidValue"
  }
}
