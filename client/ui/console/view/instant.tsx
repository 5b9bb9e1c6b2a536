import { formatBoth, formatWhen } from '../time.ts'

/** A time in a list; the tooltip has the exact time and how long ago it was at that moment. */
export function Instant(props: { at: string; text?: string }) {
  return (
    <time
      class="num"
      datetime={props.at}
      title={formatBoth(props.at)}
      onPointerEnter={(event) => {
        event.currentTarget.title = formatBoth(props.at)
      }}
    >
      {props.text ?? formatWhen(props.at)}
    </time>
  )
}
