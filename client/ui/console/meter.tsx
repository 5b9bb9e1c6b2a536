/**
 * How much of a limit is used: a bar that turns amber at 80 percent and red at 100. `share` is 1 for 100 percent. `plain`: without colours,
 * for values such as progress where 100 percent is not bad.
 */
export function Meter(props: { share: number; label: string; plain?: boolean }) {
  const share = () => Math.min(Math.max(props.share, 0), 1)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot be styled consistently across browsers
    <span
      class="bar block"
      classList={{ warn: !props.plain && props.share >= 0.8 && props.share < 1, used: !props.plain && props.share >= 1 }}
      role="meter"
      aria-label={props.label}
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow={Math.round(share() * 100)}
    >
      <i style={{ '--share': String(share()) }} />
    </span>
  )
}
