import Validation

extension SignUpTexts {
  static let spanish = SignUpTexts(
    checks: .spanish,
    title: { "Cuenta nueva en \($0)" },
    labels: ["Nombre de usuario", "Contraseña", "Repetir contraseña"],
    next: "siguiente", back: "anterior", submit: "listo", cancel: "cancelar",
    show: "mostrar contraseña", hide: "ocultar contraseña", accept: "aceptar la sugerencia",
    offer: { "Sugerencia: \($0)" },
    full: "No cabe más en el campo.",
    unreadable: "No era texto en UTF-8 y no se ha tomado.",
    incomplete: "Aquí falta algo o hay algo incorrecto.",
    undetermined: "No se ha podido comprobar. Intro lo intenta de nuevo.",
    free: { "Aún libre en \($0)" },
    withoutName: "Sin el nombre de usuario",
    lost: { "El nombre \($0) se ha ocupado entretanto en \($1). No se ha guardado nada." },
    saved: { "La contraseña de \($0) en \($1) está guardada." },
    verified: "Un segundo proceso la ha leído.",
    cancelled: "Cancelado. No se ha guardado nada.",
    ended: "La entrada terminó antes de completar la cuenta. No se ha guardado nada.",
    emptyTakesOffer: "una línea vacía toma una generada")
}
