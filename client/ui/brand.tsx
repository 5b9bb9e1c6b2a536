import { Show } from 'solid-js'

/** The logo: two speech marks back to back, like the two leaves of a door. The left one asks, the right one answers. */
const asker = 'M2 21v-9.4A8.6 8.6 0 0 1 10.6 3H11v13.6A4.4 4.4 0 0 1 6.6 21z'
const answerer = 'M22 21v-9.4A8.6 8.6 0 0 0 13.4 3H13v13.6A4.4 4.4 0 0 0 17.4 21z'
const wordmark =
  'M0.9 22.05H3.43V16.42H3.48C4.05 17.52 5.16 18.15 6.54 18.15C9.02 18.15 10.8 16.2 10.8 12.85C10.8 9.46 8.96 7.57 6.55 7.57C5.16 7.57 4.09 8.22 3.48 9.36H3.41V7.73H0.9ZM3.33 12.85C3.33 10.88 4.29 9.64 5.81 9.64C7.27 9.64 8.23 10.77 8.23 12.85C8.23 14.96 7.27 16.07 5.81 16.07C4.29 16.07 3.33 14.83 3.33 12.85ZM15.26 18.16C16.9 18.16 17.83 17.48 18.33 16.55H18.37V18H20.81V10.96C20.81 8.97 19.15 7.57 16.48 7.57C13.74 7.57 12.11 9.06 12.01 10.96H14.47C14.56 10.1 15.32 9.51 16.46 9.51C17.6 9.51 18.28 10.08 18.28 10.95V11C18.28 11.7 17.63 11.74 15.73 11.94C13.61 12.16 11.71 12.76 11.71 15.09C11.71 17.13 13.2 18.16 15.26 18.16ZM15.9 16.3C14.85 16.3 14.19 15.84 14.18 15.05C14.17 14.15 15.05 13.76 16.08 13.61C17.07 13.48 17.99 13.31 18.3 13.12V14.21C18.3 15.38 17.44 16.3 15.9 16.3ZM22.42 18H24.95V12.14C24.95 10.61 25.87 9.83 27.01 9.83C27.46 9.83 27.96 9.9 28.19 9.98V7.66C27.99 7.61 27.7 7.57 27.38 7.57C26.15 7.57 25.31 8.26 24.93 9.51H24.85V7.73H22.42ZM31.69 3.68H29.16V18H31.69ZM37.87 18.16C40.33 18.16 42.11 16.83 42.48 14.8H40.14C39.87 15.68 38.95 16.22 37.89 16.23C36.32 16.22 35.38 15.01 35.39 13.52V13.48H42.58V12.86C42.58 9.69 40.76 7.57 37.82 7.57C34.83 7.57 32.9 9.74 32.9 12.87C32.9 16.06 34.83 18.16 37.87 18.16ZM35.4 11.83C35.48 10.59 36.41 9.5 37.82 9.5C39.15 9.5 40.17 10.45 40.22 11.83ZM44.31 22.2H45.79C47.46 22.2 48.39 21.61 48.84 20.4L53.55 7.73H50.88L48.37 15.28H48.34L45.81 7.73H43.11L46.95 18C46.95 18 46.58 19.23 46.58 19.25C46.43 19.65 46.24 20.08 45.52 20.08H44.31Z'

/** The logo without the name. `size` in pixels, at least 16. */
export function LogoMark(props: { size?: number }) {
  return (
    <svg width={props.size ?? 20} height={props.size ?? 20} viewBox="0 0 24 24" aria-hidden="true">
      <path fill="var(--text)" d={asker} />
      <path fill="var(--accent)" d={answerer} />
    </svg>
  )
}

/** Half of the logo, marking who speaks: left for the person, right for the model. */
export function SpeakerMark(props: { side: 'left' | 'right' }) {
  return (
    <svg class="leaf" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
      <path
        fill={props.side === 'left' ? 'var(--text-3)' : 'var(--accent)'}
        transform={props.side === 'left' ? 'translate(6)' : 'translate(-6)'}
        d={props.side === 'left' ? asker : answerer}
      />
    </svg>
  )
}

/** The logo with the name; `bare`: the name alone, beside a logo. */
export function Brand(props: { bare?: boolean }) {
  return (
    <span class="flex items-center gap-2 text-ink">
      <Show when={!props.bare}>
        <LogoMark />
      </Show>
      <svg width="54" height="24" viewBox="0 0 54 24" role="img" aria-label="Parley">
        <path fill="currentColor" d={wordmark} />
      </svg>
    </span>
  )
}
