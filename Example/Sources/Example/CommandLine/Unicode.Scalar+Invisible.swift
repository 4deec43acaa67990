extension Unicode.Scalar {
  /// Whether it shows nothing of itself, but changes how the rest is shown.
  var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}
