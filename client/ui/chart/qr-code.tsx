import { encode } from 'uqr'

/** A text as a QR code, dark on light in both themes, since scanners expect that. `label` says what it is for. */
export function QrCode(props: { text: string; label: string }) {
  const code = () => encode(props.text, { ecc: 'M', border: 3 })
  const path = () =>
    code()
      .data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])))
      .join('')
  return (
    <svg
      role="img"
      aria-label={props.label}
      class="qr-code"
      viewBox={`0 0 ${code().size} ${code().size}`}
      width="196"
      height="196"
      shape-rendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path()} fill="#000" />
    </svg>
  )
}
