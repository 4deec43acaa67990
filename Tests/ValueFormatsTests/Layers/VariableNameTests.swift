import Testing
import ValueFormats

struct VariableNameTests {
  @Test(arguments: [
    ("port", "PORT"), ("server.port", "SERVER_PORT"), ("logLevel", "LOG_LEVEL"),
    ("serverPort", "SERVER_PORT"), ("log-level", "LOG_LEVEL"), ("log level", "LOG_LEVEL"),
    ("LOG_LEVEL", "LOG_LEVEL"), ("httpURL", "HTTP_URL"), ("URLPath", "URL_PATH"),
    ("http2Server", "HTTP2_SERVER"), ("sha256", "SHA256"), ("x", "X"), ("X", "X"), ("", ""),
    ("a..b", "A__B"), ("größeMax", "GRößE_MAX"), ("ABC", "ABC"), ("aBC", "A_BC"),
    ("$version", "_VERSION"),
  ])
  func wordsAreSeparatedByUnderscores(_ key: String, _ name: String) {
    #expect(key.variableName == name)
  }
}
