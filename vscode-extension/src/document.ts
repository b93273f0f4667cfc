/**
 * The page of a conversation as HTML, and what its content security policy allows: one script and one style sheet of ours.
 *
 * Nothing is loaded from anywhere else, nothing is sent anywhere, and no text that comes later can become a script.
 */

export interface PageParts {
  readonly script: string;
  readonly style: string;
  /** What the editor serves the extension's files from. */
  readonly source: string;
  readonly nonce: string;
}

/** What the page may do. */
export function contentSecurityPolicy({ source, nonce }: Pick<PageParts, "source" | "nonce">): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    "img-src 'none'",
    "connect-src 'none'",
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
}

/** The page; what it shows comes later, as messages. */
export function pageHtml(parts: PageParts): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(contentSecurityPolicy(parts))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Conversation</title>
<link rel="stylesheet" href="${attribute(parts.style)}">
</head>
<body>
<header><h1 id="title">New conversation</h1></header>
<main id="scroller" tabindex="0" aria-label="Conversation">
<div id="log" role="log" aria-label="What was said" aria-live="polite"></div>
<div id="waiting"></div>
</main>
<div id="announcer" class="sr-only" role="alert"></div>
<footer>
<div class="bar">
<span id="status" role="status"></span>
<span id="usage"></span>
<button id="jump" type="button" class="secondary" hidden>Go to the end</button>
<button id="continue" type="button" class="secondary" hidden>Continue</button>
<button id="interrupt" type="button" class="secondary" hidden>Interrupt…</button>
<button id="stop" type="button" class="secondary" hidden>Stop</button>
</div>
<div class="say">
<textarea id="box" rows="2" aria-label="Message to the assistant" placeholder="Message to the assistant (Enter sends, Shift+Enter breaks the line)"></textarea>
<button id="send" type="button" class="primary">Send</button>
</div>
</footer>
<script nonce="${attribute(parts.nonce)}" src="${attribute(parts.script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
