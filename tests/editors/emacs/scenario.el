;;; scenario.el --- Config and a turn in Emacs with Eglot  -*- lexical-binding: t -*-
;;; Commentary:
;; Runs the setup that `docs/EDITORS.md' shows, against the real server, in a batch Emacs.
;; Environment: JP_LSP_OUT a folder for the workspace, JP_LSP_REPOSITORY the root of this repository.
;;; Code:

(package-initialize)
(require 'eglot)
(require 'flymake)

(defvar jp-repository (file-name-as-directory (getenv "JP_LSP_REPOSITORY")))
(defvar jp-root (expand-file-name "workspace/" (getenv "JP_LSP_OUT")))
(defvar jp-asked nil "What Emacs asked, the last question first.")
(defvar jp-answers nil "What to answer, in order: nil dismisses the question.")

(defun jp-wait (what condition)
  "Wait until CONDITION holds, and return what it returned; WHAT is for the message."
  (let ((end (time-add nil 10)) found)
    (while (and (not (setq found (funcall condition))) (time-less-p nil end))
      (unless (accept-process-output nil 0.2)
        ;; What came in one piece with the answer to a request is read with the next piece that comes, in Emacs 28;
        ;; it comes soon, since an idle Emacs asks for the documentation at point.
        (jsonrpc-async-request (eglot-current-server) :textDocument/hover
                               (eglot--TextDocumentPositionParams) :success-fn #'ignore)))
    (or found (error "In vain: %s\nasked: %S" what jp-asked))))

(defun jp-equal (got expected)
  "Fail unless GOT is EXPECTED."
  (unless (equal got expected) (error "Got %S\nexpected %S" got expected)))

(defun jp-file (name)
  "The text of the file NAME of the workspace, or nil."
  (let ((path (expand-file-name name jp-root)))
    (when (file-exists-p path)
      (with-temp-buffer (insert-file-contents path) (buffer-string)))))

(defun jp-block (file language)
  "The first block of LANGUAGE in FILE of the repository."
  (with-temp-buffer
    (insert-file-contents (expand-file-name file jp-repository))
    (search-forward (concat "```" language "\n"))
    (let ((start (point)))
      (search-forward "\n```")
      (buffer-substring start (match-beginning 0)))))

(defun jp-reported ()
  "What is reported of this buffer: line and text."
  ;; Both wait for Emacs to be idle, which it never is in a batch.
  (eglot--signal-textDocument/didChange)
  (flymake-start)
  (mapcar (lambda (it) (list (line-number-at-pos (flymake-diagnostic-beg it)) (flymake-diagnostic-text it)))
          (flymake-diagnostics)))

(defvar jp-said nil "What Emacs said, the last message first.")
(advice-add 'message :before (lambda (&rest said) (push (apply #'format-message (or (car said) "") (cdr said)) jp-said)))

(defun jp-recorded (text)
  "Wait until the assistant's words TEXT are recorded."
  (jp-wait text (lambda () (eql 0 (call-process "grep" nil nil nil "-rqF" text (getenv "JP_LSP_DATA_DIR"))))))

(advice-add 'completing-read :override
            (lambda (prompt collection &rest _)
              (push (cons prompt (all-completions "" collection)) jp-asked)
              (let ((answer (pop jp-answers)))
                (cond ((null answer) (signal 'quit nil))
                      ((stringp answer) answer)
                      (t (funcall answer (all-completions "" collection)))))))

(defun jp-reject (choices)
  "The choice among CHOICES that rejects this one call."
  (seq-find (lambda (choice) (string-prefix-p "Reject — " choice)) choices))

(defmacro jp-check (name &rest body)
  "Run BODY as the check NAME."
  `(condition-case err
       (progn ,@body (princ (format "ok %s\n" ,name)) (setq jp-passed (1+ jp-passed)))
     ((error quit) (princ (format "not ok %s: %s\n1 failed\n" ,name (error-message-string err))) (kill-emacs 1))))
(defvar jp-passed 0)

(copy-directory (expand-file-name "tests/editors/turns/" jp-repository) jp-root nil t t)
(setenv "JP_LSP_TEST_SCRIPT" (expand-file-name "script.toml" jp-root))
;; As after a key: after a click, Eglot would open a menu.
(setq last-nonmenu-event ?\r)
(setq eglot-sync-connect 10 eglot-confirm-server-initiated-edits nil)
(eval (read (format "(progn %s)" (jp-block "docs/EDITORS.md" "elisp"))) t)

(jp-check "the setup of the manual connects"
  (find-file (expand-file-name ".jp/config.toml" jp-root))
  (jp-equal major-mode 'jp-config-mode)
  (unless (eglot-managed-p) (run-hooks 'post-command-hook))
  (jp-wait "the server" #'eglot-managed-p))

(jp-check "the workspace is the folder that holds `.jp'"
  (jp-equal (project-root (eglot--project (eglot-current-server))) jp-root))

(jp-check "a mistake is reported, and its fix is applied"
  (goto-char (point-min))
  (search-forward "model.id = \"quick\"\n")
  (insert "naem = \"Ada\"\n")
  (jp-wait "a diagnostic" #'jp-reported)
  (jp-equal (jp-reported) '((4 "jp [unknown-key]: unknown key `naem`, did you mean `name`?")))
  (forward-line -1)
  (setq jp-answers '("Write `name`"))
  (call-interactively #'eglot-code-actions)
  (jp-equal (buffer-substring (line-beginning-position) (line-end-position)) "name = \"Ada\"")
  (revert-buffer t t)
  (jp-wait "no diagnostic" (lambda () (not (jp-reported)))))

(jp-check "hovering an access rule says what it grants"
  (goto-char (point-min))
  (search-forward "path = \"assistant")
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams)))
        (expected "Rule 1 of 1: switch_model may read and change config at and below assistant.model.id."))
    (jp-equal (not (string-search expected (plist-get (plist-get hover :contents) :value))) nil)))

(jp-check "a pointer to an argument is completed"
  (goto-char (point-max))
  (insert "[conversation.tools.leave_note.policy]\nrun = [{ arg = \"/\" }]\n")
  (search-backward "\" }")
  (jp-equal (all-completions "/" (nth 2 (eglot-completion-at-point))) '("/text"))
  (revert-buffer t t)
  (jp-wait "no diagnostic" (lambda () (not (jp-reported)))))

(jp-check "nothing runs before the workspace is trusted"
  (jp-query "Leave a note")
  (jp-wait "a message" (lambda () (string-search "JP: the workspace is not trusted" (format "%s" jp-said))))
  (jp-trust))

(jp-check "a run is approved"
  (setq jp-answers '("Run"))
  (jp-query "Leave a note")
  (jp-recorded "The note is there.")
  (jp-equal (jp-file "notes.txt") "approved\n")
  (jp-equal (cdar jp-asked) '("Reject" "Reject, and other calls that this rule asks for, in this turn"
                              "Run" "Run, and other calls that this rule asks for, in this turn"
                              "Always run calls like this…")))

(jp-check "a dismissed prompt waits on its line, and is rejected there"
  (jp-query "Leave another")
  (jp-wait "the prompt" #'jp-reported)
  (goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
  (setq jp-answers '(jp-reject))
  (call-interactively #'eglot-code-actions)
  (jp-recorded "Then I leave none.")
  (jp-wait "no prompt" (lambda () (not (jp-reported))))
  (jp-equal (jp-file "notes.txt") "approved\n"))

(jp-check "questions are answered by buttons, and in text"
  (setq jp-answers '("Yes" "red"))
  (jp-query "Ask me")
  (jp-wait "the question in text"
           (lambda () (string-search "What name?\nThe name is written\ninto the file." (format "%s" (jp-reported)))))
  (jp-answer "Ada")
  (jp-recorded "Thank you.")
  (jp-wait "no question" (lambda () (not (jp-reported)))))

(jp-check "a secret is answered in text, too"
  (jp-query "Log in")
  (jp-wait "the question" #'jp-reported)
  (jp-answer "tr0ub4dor")
  (jp-recorded "I am in."))

(jp-check "a config change is rejected, and applied"
  (setq jp-answers '("Reject"))
  (jp-query "Switch")
  (jp-recorded "I stay who I am.")
  (setq jp-answers '("Apply"))
  (jp-query "Switch")
  (jp-recorded "This is the stronger model.")
  (jp-equal (not (string-search "assistant.model.id.name: \"quick\" → \"strong\"" (caar jp-asked))) nil))

(princ (format "%d passed, 0 failed\n" jp-passed))
;;; scenario.el ends here
