import { formatAgo } from '#client/ui/console/time.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'

/** How long ago something was, with the exact time on hover; "never" for null. */
export const Ago = (props: { at: string | null }) =>
  props.at === null ? <span>{formatAgo(null)}</span> : <Instant at={props.at} text={formatAgo(props.at)} />
