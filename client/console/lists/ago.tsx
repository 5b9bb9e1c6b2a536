import { formatAgo, formatExactly } from '#client/ui/console/time.ts'

/** How long ago something was, with the exact time on hover; "never" for null. */
export const Ago = (props: { at: string | null }) => (
  <span title={props.at === null ? undefined : formatExactly(props.at)}>{formatAgo(props.at)}</span>
)
