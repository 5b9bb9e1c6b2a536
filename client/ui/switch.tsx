/** A switch, operated by click, Space or Enter. */
export function Switch(props: { label: string; on: boolean; onChange(on: boolean): void; describedBy?: string }) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={props.on}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      onClick={() => props.onChange(!props.on)}
    />
  )
}
