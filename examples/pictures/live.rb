# frozen_string_literal: true

# Pictures in a browser while a program draws them: a page, to which server-sent events bring one SVG after the other.
# It takes the gem webrick (Debian's package ruby-webrick).
class Live
  PAGE = <<~HTML
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>Ikra</title>
    <style>body { margin: 1rem; text-align: center } svg { max-width: 100%; max-height: 95vh; height: auto }</style></head>
    <body><div id="picture">…</div>
    <script>
      const events = new EventSource("events")
      events.onmessage = event => { document.getElementById("picture").innerHTML = JSON.parse(event.data) }
      events.addEventListener("end", () => events.close())
    </script></body></html>
  HTML
  # Pictures follow each other no faster, in seconds.
  PAUSE = 0.04

  # @param port [Integer] 0 for any that is free
  def initialize(port)
    load_libraries
    @viewers = []
    @changed = Thread::Queue.new
    @server = WEBrick::HTTPServer.new(Port: port, BindAddress: "127.0.0.1", AccessLog: [],
                                      Logger: WEBrick::Log.new(File::NULL))
    @server.mount_proc("/") { |_, response| answer(response, "text/html; charset=utf-8", PAGE) }
    @server.mount_proc("/events") { |_, response| answer(response, "text/event-stream", method(:stream)) }
    @thread = Thread.new { @server.start }
    @shown = 0.0
    warn "open http://localhost:#{@server.config[:Port]}/"
  end

  # Waits while nobody looks.
  #
  # @param svg [SVG]
  def show(svg)
    @changed.pop while @viewers.empty?
    tell("data: #{JSON.generate(svg.to_s)}\n\n")
    rest = @shown + PAUSE - now
    sleep(rest) if rest > 0
    @shown = now
  end

  # Leaves the last picture where it is seen.
  def finish
    tell("event: end\ndata: \n\n")
    tell(nil)
    @server.shutdown
    @thread.join
  end

  private

  def load_libraries
    require "json"
    require "webrick"
  rescue LoadError
    abort "To look at it live takes the gem webrick: gem install webrick, or apt-get install ruby-webrick"
  end

  def answer(response, type, body)
    response["Content-Type"] = type
    response.chunked = body.respond_to?(:call)
    response.body = body
  end

  # What one viewer gets, until there is no more.
  def stream(out)
    queue = Thread::Queue.new
    @viewers += [queue]
    @changed << true
    while (event = queue.pop)
      out.write(event)
    end
  rescue SystemCallError
    # The browser is closed.
    @viewers -= [queue]
  end

  def tell(event) = @viewers.each { |viewer| viewer << event }
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
