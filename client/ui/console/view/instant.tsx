import { formatBoth, formatWhen } from '../time.ts'

/** A time as a list shows it; on hover it is exact, with how long ago it was as of that moment. */
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
